"""CNN-LSTM, HCRN, MAC and ALOE: networks from frames and words to answers, trained from questions and answers alone."""
