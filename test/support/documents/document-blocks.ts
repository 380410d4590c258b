export interface ShellBlock {
  readonly line: number;
  readonly commands: string;
  /** Undefined if the page shows no output: the commands must print nothing. */
  readonly shown: { readonly language: 'text' | 'json'; readonly text: string } | undefined;
}

const FENCE = /^(\s*)(```+|~~~+)(.*)$/;

/**
 * Runs each `sh` block; a following `text` or `json` block is its output.
 * @throws Error for any other fence, so that no block is silently skipped
 */
export const shellBlocks = (page: string, markdown: string): readonly ShellBlock[] => {
  const blocks: { line: number; commands: string; shown: ShellBlock['shown'] }[] = [];
  const lines = markdown.split('\n');
  for (let index = 0; index < lines.length; index++) {
    const opened = FENCE.exec(lines[index] ?? '');
    if (opened === null) continue;
    const line = index + 1;
    const [, indent, marks, language = ''] = opened;
    const fault = (what: string): Error => new Error(`${page}, line ${line}: ${what}`);
    if (indent !== '' || marks !== '```') throw fault('a fence is three back-ticks at the start of its line');
    const end = lines.indexOf('```', line);
    if (end === -1) throw fault('a fence without an end');
    const text = lines.slice(line, end).join('\n');
    index = end;
    if (language === 'sh') blocks.push({ line, commands: text, shown: undefined });
    else if (language === 'text' || language === 'json') {
      const block = blocks.at(-1);
      if (block === undefined || block.shown !== undefined) throw fault('an output without commands of its own');
      block.shown = { language, text };
    } else throw fault(`a block of ${language || 'no language'} is neither run nor compared`);
  }
  return blocks;
};

/** Values differ in every run. Only their presence is compared. */
const OWN_OF_EACH_RUN = [
  'serial-number',
  'by-request-sn',
  'merchant-order-id',
  'merchant_order',
  'client_orderid',
  'paynet-order-id',
  'orderid',
  'card-ref-id',
  'card_recurring_payment_id',
  'recurring-payment-id',
  'destination_card_recurring_payment_id',
  'dst-card-ref-id',
  'unq-card-ref-id',
  'card-hash-id',
  'processor-rrn',
  'processor-tx-id',
  'approval-code',
  'terminal-id',
  'receipt-id',
  'paynet-processing-date',
  'transaction-date',
  'html',
  'redirect-to',
  'control',
];
const FORM_FIELD = new RegExp(`^(&?(?:${OWN_OF_EACH_RUN.join('|')})=).+$`, 'gm');

export const comparable = (language: 'text' | 'json', output: string): unknown => {
  if (language === 'text') return output.replaceAll(FORM_FIELD, '$1…');
  const members = Object.entries(JSON.parse(output) as Readonly<Record<string, unknown>>);
  return members.map(([name, value]) => [name, OWN_OF_EACH_RUN.includes(name) && value !== '' ? '…' : value]);
};
