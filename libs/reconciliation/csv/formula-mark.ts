const MARK = "'";
/** What a spreadsheet takes for the beginning of a formula, after blanks too; and the mark itself, so that it can be told from one that was set. */
const FORMULA = /^\s*[=+\-@'\uff0b\uff0d\uff1d\uff20]/;

/** A client_orderid is a merchant's to choose, and the file is opened by people at another company: `=HYPERLINK(…)` must stay a text there. */
export const withoutFormula = (field: string): string => (FORMULA.test(field) ? MARK + field : field);

/** What the field was before `withoutFormula`; an apostrophe that marks nothing stays. */
export const asWritten = (field: string): string => (field.startsWith(MARK) && FORMULA.test(field.slice(1)) ? field.slice(1) : field);

/** Cheap, and true for every record with a mark: nearly all have none. */
export const mayHaveMarks = (record: string): boolean => record.includes(MARK);
