"use strict";
/* CSV files that the page saves. */
(() => {
  // As misword.io.formulas: cells that a spreadsheet program would calculate, and numbers.
  const FORMULA = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
  const NUMBER = /^[+-]?([0-9]+([.,][0-9]+)*|\.[0-9]+)([eE][+-]?[0-9]+)? ?%?$/;

  /** Return a cell of a CSV file; it has an apostrophe where it could be a formula. */
  const csvCell = (text) => {
    const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };

  /** Download rows of texts as a CSV file of this name. */
  misword.saveCsv = (rows, name) => {
    const lines = rows.map((row) => `${row.map(csvCell).join(",")}\n`);
    misword.save(new Blob(lines, { type: "text/csv" }), name);
  };
})();
