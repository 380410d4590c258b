import { money } from '../format';

/** Conditions as the recorded configuration has them: amounts in minor units. */
export interface RuleConditions {
  readonly bins?: readonly string[];
  readonly countries?: readonly string[];
  readonly brands?: readonly string[];
  readonly currencies?: readonly string[];
  readonly amountFromMinor?: string;
  readonly amountToMinor?: string;
  readonly from?: string;
  readonly to?: string;
  readonly days?: readonly string[];
}

export type RuleChoice =
  | { readonly kind: 'cascade' | 'least-commission'; readonly gates: readonly string[] }
  | {
      readonly kind: 'split';
      readonly shares: readonly { readonly gate: string; readonly weight: number }[];
      readonly stickyByCustomer: boolean;
    };

export interface Rule {
  readonly name: string;
  readonly when: RuleConditions;
  readonly choice: RuleChoice;
}

export interface EntryPoint {
  readonly merchant: string;
  readonly id: string;
  readonly currency: string;
  readonly gates: readonly string[];
  readonly rules: readonly Rule[];
}

interface Recorded {
  readonly accounts?: Recorded;
  readonly merchants?: readonly {
    readonly login: string;
    readonly endpoints?: readonly {
      readonly id: string;
      readonly currency: string;
      readonly gates: readonly string[];
      readonly routing?: readonly Rule[];
    }[];
  }[];
}

/** The entry points of a recorded configuration, in its order. None if there is no copy. */
export const entryPointsOf = (configuration: unknown): readonly EntryPoint[] => {
  const recorded = (configuration ?? {}) as Recorded;
  return (recorded.merchants ?? recorded.accounts?.merchants ?? []).flatMap(({ login, endpoints = [] }) =>
    endpoints.map(({ id, currency, gates, routing = [] }) => ({ merchant: login, id, currency, gates, rules: routing })),
  );
};

const LISTED_MAX = 6;
const listed = (items: readonly string[]): string =>
  items.length > LISTED_MAX ? `${items.slice(0, LISTED_MAX).join(', ')} and ${items.length - LISTED_MAX} more` : items.join(', ');

const major = (minor: string): string => minor.padStart(3, '0').replace(/(\d\d)$/, '.$1');

/** When a rule applies: `BIN 444433; from 100.00 EUR`. */
export const conditionsText = (when: RuleConditions, currency: string): string => {
  const parts: string[] = [];
  if (when.bins !== undefined) parts.push(`BIN ${listed(when.bins)}`);
  if (when.countries !== undefined) parts.push(`card of ${listed(when.countries)}`);
  if (when.brands !== undefined) parts.push(listed(when.brands));
  if (when.currencies !== undefined) parts.push(listed(when.currencies));
  if (when.amountFromMinor !== undefined) parts.push(`from ${money(major(when.amountFromMinor), currency)}`);
  if (when.amountToMinor !== undefined) parts.push(`up to ${money(major(when.amountToMinor), currency)}`);
  if (when.days !== undefined) parts.push(`on ${listed(when.days)}`);
  if (when.from !== undefined || when.to !== undefined) parts.push(`${when.from ?? '00:00'} to ${when.to ?? '24:00'} UTC`);
  return parts.length === 0 ? 'always' : parts.join('; ');
};

/** What a rule selects: `sim-a, then sim-b`. */
export const choiceText = (choice: RuleChoice): string => {
  switch (choice.kind) {
    case 'cascade':
      return choice.gates.join(', then ');
    case 'least-commission':
      return `the least commission of ${choice.gates.join(', ')}`;
    case 'split': {
      const shares = choice.shares.map(({ gate, weight }) => `${gate} ${weight}`).join(', ');
      return `split ${shares}${choice.stickyByCustomer ? '; the same for a customer' : ''}`;
    }
  }
};

const PLAIN = /^(?!(?:true|false|null|none)$)[A-Za-z][\w-]*$/i;
const scalar = (text: string): string => (PLAIN.test(text) ? text : JSON.stringify(text));
const list = (texts: readonly string[]): string => `[${texts.map(scalar).join(', ')}]`;

const whenYaml = ({ amountFromMinor, amountToMinor, ...when }: RuleConditions): string => {
  const members = Object.entries({
    ...when,
    ...(amountFromMinor !== undefined && { amountFrom: major(amountFromMinor) }),
    ...(amountToMinor !== undefined && { amountTo: major(amountToMinor) }),
  }).map(([name, value]: [string, string | readonly string[]]) => `${name}: ${typeof value === 'string' ? scalar(value) : list(value)}`);
  return `{ ${members.join(', ')} }`;
};

const thenYaml = (choice: RuleChoice): string => {
  switch (choice.kind) {
    case 'cascade':
      return `{ cascade: ${list(choice.gates)} }`;
    case 'least-commission':
      return `{ leastCommission: ${list(choice.gates)} }`;
    case 'split':
      return `{ split: [${choice.shares.map(({ gate, weight }) => `{ gate: ${scalar(gate)}, weight: ${weight} }`).join(', ')}] }`;
  }
};

/** The rules of an entry point as the file of a what-if, for a person to change. */
export const rulesFileOf = ({ merchant, id, gates, rules }: EntryPoint): string => {
  const lines = [
    'merchants:',
    `  - login: ${scalar(merchant)}`,
    '    endpoints:',
    `      - id: ${JSON.stringify(id)}`,
    `        gates: ${list(gates)}`,
  ];
  if (rules.length > 0) lines.push('        routing:');
  for (const { name, when, choice } of rules) {
    lines.push(`          - name: ${scalar(name)}`);
    if (Object.keys(when).length > 0) lines.push(`            when: ${whenYaml(when)}`);
    lines.push(`            then: ${thenYaml(choice)}`);
    if (choice.kind === 'split' && choice.stickyByCustomer) lines.push('            stickyByCustomer: true');
  }
  return `${lines.join('\n')}\n`;
};
