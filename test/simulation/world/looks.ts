/** Rows that searches for due work read. Excludes operators, who may request long lists. */
export class Looks {
  rowsMost = 0;
  unaskedMost = 0;

  hear(parameters: readonly unknown[], rows: readonly unknown[]): void {
    const [first] = rows as readonly object[];
    if (first === undefined || !('due_at' in first)) return;
    this.rowsMost = Math.max(this.rowsMost, rows.length);
    const [lanes, ofEach] = parameters;
    if (typeof lanes !== 'string' || !lanes.startsWith('[')) return;
    const asked = (JSON.parse(lanes) as readonly string[]).length * Number(ofEach);
    this.unaskedMost = Math.max(this.unaskedMost, rows.length - asked);
  }
}
