"""Questions: their templates, wordings, programs and answers."""
