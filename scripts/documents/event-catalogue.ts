import type { CatalogueEntry, FieldEntry, FieldKind } from '@app/event-store';
import { tableRow as row } from './markdown-table';

/** What a kind of field holds, for whoever reads the log; a kind without a line does not compile. */
const KINDS: Readonly<Record<FieldKind, string>> = {
  id: 'an identifier of ours',
  'merchant-text': 'an identifier that the merchant chose, taken as it is',
  'gate-reference': 'a reference that a gate chose',
  hash: 'a digest, hexadecimal',
  sealed: "ciphertext under the order's key, until that key is erased",
  instant: 'milliseconds since 1970-01-01T00:00:00Z',
  int: 'a whole number',
  bigint: 'a whole number, stored as text',
  money: 'currency and minor units, the latter as text',
  bool: 'true or false',
  'one-of': 'one of a closed set of words',
  text: 'free text, searched for card numbers before it is stored',
  list: 'a list of what stands below it',
  record: 'named members of one kind',
  object: 'the members that stand below it',
  tagged: 'one of several shapes, told apart by one member',
};

const holds = ({ kind, values }: FieldEntry): string =>
  values.length === 0 ? KINDS[kind] : values.map((value) => `\`${value}\``).join(', ');

const table = (fields: readonly FieldEntry[]): readonly string[] => [
  row('Field', 'Kind', 'Holds', 'Always'),
  row('---', '---', '---', '---'),
  ...fields.map((field) => row(`\`${field.path}\``, field.kind, holds(field), field.optional ? 'no' : 'yes')),
];

const shapeOf = ({ type, version, meaning, fields }: CatalogueEntry): string => JSON.stringify([type, version, meaning, fields]);

/** Every event of every category, as the codecs have them; one that several categories share is told once. */
const categoriesOf = (catalogue: readonly CatalogueEntry[]): readonly string[] => {
  const toldIn = new Map<string, string>();
  const categories = [...new Set(catalogue.map(({ category }) => category))];
  const lines: string[] = [];
  for (const category of categories) {
    lines.push(`## ${category}`, '');
    for (const entry of catalogue.filter((one) => one.category === category)) {
      const { type, version, meaning, fields } = entry;
      const before = toldIn.get(shapeOf(entry));
      lines.push(`### ${type}, version ${version}${before === undefined ? '' : ` (${category})`}`, '', meaning, '');
      if (before === undefined) {
        toldIn.set(shapeOf(entry), category);
        lines.push(...table(fields), '');
      } else lines.push(`The same fields as in \`${before}\`.`, '');
    }
  }
  return lines;
};

/** @param ofMerchantServer what stands in the merchant server's own store, apart from the service's */
export const eventCatalogueMarkdown = (catalogue: readonly CatalogueEntry[], ofMerchantServer: readonly CatalogueEntry[]): string =>
  [
    '# Event catalogue',
    '',
    'What the event log can hold. Made from the codecs by `npm run docs:events`; `npm run docs:check` fails where the two differ.',
    '',
    'Every event has, beside its data, metadata of one shape: `callerTrace` (the trace id, and `-01` where its caller records it, of a request that came under a trace; absent of others, and of what follows from them), `correlation` (the serial-number of the request that all of it began with), `causation`, `actor` (as it was proved), `claimedActor` (only where a request of an operator names somebody beside its token), `merchant`, `schemaVersion`, `recordedAt` (milliseconds since 1970-01-01T00:00:00Z), `previousHash` (of the stream’s previous event, null in its first) and `stream` (where the event belongs; absent of events of the first releases, which stay valid without it). Data and metadata are stored as RFC 8785 text.',
    '',
    'A stream is named `<category>-<base32 of a SHA-256>`; its category says whose events it holds.',
    '',
    ...categoriesOf(catalogue),
    '# The merchant server',
    '',
    'What the log of a merchant server can hold: a store of its own, with metadata of the same shape. `sealed` is under the key ring of that server, `hash` a digest under a key of it.',
    '',
    ...categoriesOf(ofMerchantServer),
  ].join('\n');
