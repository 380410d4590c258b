import type { Evidence, Json } from './evidence';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
/** Characters that no printer shows, and those that reorder what stands around them: a reader is not to be led astray by a payer's text. */
const INVISIBLE = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;
const coded = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
const escaped = (text: string): string =>
  text.replace(INVISIBLE, coded).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);

const STYLE = `
body { font: 10pt/1.4 system-ui, sans-serif; margin: 2em auto; max-width: 72em; color: #111; }
h1 { font-size: 15pt; } h2 { font-size: 12pt; margin-top: 2em; border-bottom: 1px solid #999; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: .25em .6em; border-bottom: 1px solid #ddd; }
th { font-weight: 600; } td.time { white-space: nowrap; } td.time, code { font-family: ui-monospace, monospace; font-size: 9pt; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1em 1em; margin: 0; } dt { color: #555; } dd { margin: 0; overflow-wrap: anywhere; }
tr { break-inside: avoid; } @page { margin: 15mm; }
`;

const shown = (value: Json): string => {
  if (value === null) return '<i>none</i>';
  if (Array.isArray(value)) return value.length === 0 ? '<i>none</i>' : value.map((item: Json) => shown(item)).join('<br>');
  if (typeof value !== 'object') return escaped(String(value));
  const members = Object.entries(value);
  if (members.length === 0) return '<i>none</i>';
  return `<dl>${members.map(([name, member]) => `<dt>${escaped(name)}</dt><dd>${shown(member)}</dd>`).join('')}</dl>`;
};

const row = (cells: readonly string[]): string => `<tr>${cells.join('')}</tr>`;

/** The evidence to read and to print: one file that loads nothing, neither a script nor a picture. */
export const timelinePage = ({ order, at, facts, timeline, checkpoint, events }: Evidence): string => {
  const title = `Order ${order.orderId} (${order.clientOrderId}) of ${order.merchant}`;
  const sections = Object.entries(facts).map(([name, value]) => `<h2>${escaped(name)}</h2>${shown(value)}`);
  const lines = timeline.map((entry) =>
    row([
      `<td class="time">${new Date(entry.at).toISOString()}</td>`,
      `<td>${escaped(entry.of)}</td>`,
      `<td>${escaped(entry.type)}</td>`,
      `<td>${escaped(entry.actor)}</td>`,
      `<td>${shown(entry.details)}</td>`,
    ]),
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>${STYLE}</style></head><body>
<h1>${escaped(title)}</h1>
<p>As of ${new Date(at).toISOString()}. ${events.length} events of the log <code>${escaped(checkpoint.origin)}</code>, each proven in its tree of ${checkpoint.size} events.</p>
<h2>timeline</h2>
<table><thead>${row(['time', 'of', 'event', 'by', 'details'].map((name) => `<th>${name}</th>`))}</thead>
<tbody>
${lines.join('\n')}
</tbody></table>
${sections.join('\n')}
</body></html>
`;
};
