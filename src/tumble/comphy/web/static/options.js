// What a question can be answered with: a word, a pair of words, or a tick for each option.
import { make } from "/comphy/static/dom.js";

export class Options {
  constructor(form, changed) {
    this.root = form.querySelector("#options");
    this.changed = changed;
    this.root.addEventListener("change", () => changed());
  }

  show(question) {
    this.question = question;
    this.root.className = question.options ? "options list" : "options words";
    if (question.options) {
      const rows = question.options.map((text, k) => this.choice("checkbox", "option", k, text));
      this.root.replaceChildren(this.group("Tick all that are right; it may be none.", rows));
      return;
    }
    const groups = Array.from({ length: question.pick }, (_, at) => {
      const rows = question.words.map((word, k) => this.choice("radio", `word${at}`, k, word));
      return this.group(question.pick === 1 ? "Choose one." : at ? "The other one:" : "One of them:", rows);
    });
    this.root.replaceChildren(...groups);
  }

  group(legend, rows) {
    return make("fieldset", {}, make("legend", { textContent: legend }), ...rows);
  }

  choice(type, name, k, text) {
    const input = make("input", { type, name, value: String(k) });
    return make("label", { className: "choice" }, input, make("kbd", { textContent: k + 1, ariaHidden: "true", hidden: k > 8 }),
      make("span", { className: "text", textContent: text }), make("span", { className: "told" }));
  }

  inputs(name) {
    return [...this.root.querySelectorAll(name ? `input[name=${name}]` : "input")];
  }

  get isOpen() {
    return this.inputs().some((input) => !input.disabled);
  }

  // A key: ticks or unticks an option, or chooses a word; of a pair the first one that is missing.
  press(k) {
    if (!this.isOpen) return;
    if (this.question.options) {
      const input = this.inputs("option")[k];
      if (input) input.checked = !input.checked;
    } else {
      const names = Array.from({ length: this.question.pick }, (_, at) => `word${at}`);
      const open = names.find((name) => !this.inputs(name).some((input) => input.checked));
      if (!open && names.length > 1) this.inputs().forEach((input) => { input.checked = false; });
      const input = this.inputs(open ?? names[0])[k];
      if (input) input.checked = true;
    }
    this.changed();
  }

  // The answer as it is sent; null where a word is missing.
  get answer() {
    if (this.question.options) return this.inputs("option").map((input) => input.checked ? "correct" : "wrong");
    const words = Array.from({ length: this.question.pick }, (_, at) => {
      const input = this.inputs(`word${at}`).find((one) => one.checked);
      return input ? this.question.words[Number(input.value)] : null;
    });
    return words.includes(null) ? null : words.join(" and ");
  }

  lock(answer) {
    if (this.question.options) this.inputs("option").forEach((input, k) => { input.checked = answer[k] === "correct"; });
    else {
      answer.split(" and ").forEach((word, at) => {
        this.inputs(`word${at}`).forEach((input) => { input.checked = this.question.words[Number(input.value)] === word; });
      });
    }
    this.inputs().forEach((input) => { input.disabled = true; });
  }

  unlock() {
    this.inputs().forEach((input) => { input.disabled = false; });
  }

  // Says at each option or word what is right.
  tell(told) {
    const say = (input, kind, text) => {
      const label = input.closest("label");
      label.classList.add(kind);
      label.querySelector(".told").textContent = text;
    };
    if (this.question.options) {
      this.inputs("option").forEach((input, k) => {
        const isRight = told.options[k].answer === "correct";
        if (told.correct[k]) say(input, "right", "✓");
        else say(input, "wrong", isRight ? "✗ is right" : "✗ is not right");
      });
      return;
    }
    const words = told.answer.split(" and ");
    const given = this.answer.split(" and ");
    if (words.length === 2 && given.includes(words[1]) && given[0] !== words[0]) words.reverse();
    words.forEach((word, at) => {
      for (const input of this.inputs(`word${at}`)) {
        if (this.question.words[Number(input.value)] === word) say(input, "right", "✓");
        else if (input.checked) say(input, "wrong", "✗");
      }
    });
  }
}
