"use strict";
/* A list of any length: only the visible rows are in the page. */
(() => {
  const ROW = 30; // as --row in the style sheet
  const BEYOND = 6; // rows drawn above and below the visible ones

  class List {
    /** `fill(row, item)` puts an item's cells into a row; `chosen(item)` is called on a selection. */
    constructor(name, label, fill, chosen) {
      Object.assign(this, { name, fill, chosen, items: new Uint32Array(), at: -1 });
      this.space = misword.make("div", { class: "space", role: "presentation" });
      this.box = misword.make(
        "div", { class: "list", role: "listbox", tabindex: 0, "aria-label": label }, this.space,
      );
      // Where the box is scrolled to, and its height; to ask the browser would cost a layout.
      [this.top, this.height] = [0, 0];
      new ResizeObserver(() => {
        this.height = this.box.clientHeight;
        this.draw();
      }).observe(this.box);
      let waiting = false;
      this.box.addEventListener("scroll", () => {
        this.top = this.box.scrollTop;
        if (waiting) return;
        waiting = true;
        requestAnimationFrame(() => {
          waiting = false;
          this.draw();
        });
      });
      this.box.addEventListener("keydown", (event) => this.key(event));
      this.space.addEventListener("click", (event) => {
        const row = event.target.closest("[role=option]");
        if (row) this.select(Number(row.dataset.at));
      });
    }

    /** Show other items, the first of them selected. */
    show(items) {
      this.items = items;
      this.space.style.height = `${items.length * ROW}px`;
      this.at = -1;
      this.scroll(0);
      if (items.length) this.select(0);
      else {
        this.draw();
        this.chosen(null);
      }
    }

    select(at) {
      this.at = Math.min(Math.max(at, 0), this.items.length - 1);
      const top = this.at * ROW;
      if (top < this.top) this.scroll(top);
      else if (top + ROW > this.top + this.seen()) this.scroll(top + ROW - this.seen());
      this.draw();
      this.chosen(this.items[this.at]);
    }

    scroll(top) {
      if (top === this.top) return;
      this.top = top;
      this.box.scrollTop = top;
    }

    /** Return the height of the box, which is not known before the first layout. */
    seen() {
      this.height ||= this.at ? this.box.clientHeight : 0;
      return this.height || ROW;
    }

    key(event) {
      const page = Math.max(1, Math.floor(this.seen() / ROW) - 1);
      const moves = {
        ArrowDown: this.at + 1, ArrowUp: this.at - 1, PageDown: this.at + page,
        PageUp: this.at - page, Home: 0, End: this.items.length - 1,
      };
      if (!(event.key in moves) || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      if (this.items.length) this.select(moves[event.key]);
    }

    draw() {
      const first = Math.max(0, Math.floor(this.top / ROW) - BEYOND);
      const seen = Math.ceil(this.height / ROW) + 2 * BEYOND;
      const rows = [];
      for (let at = first; at < Math.min(first + seen, this.items.length); at += 1) {
        const row = misword.make("div", {
          role: "option", id: `${this.name}-${at}`, "data-at": at, class: "row",
          "aria-selected": String(at === this.at), "aria-posinset": at + 1,
          "aria-setsize": this.items.length,
        });
        row.style.top = `${at * ROW}px`;
        this.fill(row, this.items[at]);
        rows.push(row);
      }
      this.space.replaceChildren(...rows);
      if (this.at < 0) this.box.removeAttribute("aria-activedescendant");
      else this.box.setAttribute("aria-activedescendant", `${this.name}-${this.at}`);
    }
  }

  misword.List = List;
})();
