import type { Paint } from '../terminal/paint';

/** The service's answer, as far as it is shown. */
export interface ExplainedRoute {
  readonly endpoint: string;
  readonly rule: string;
  readonly choice: 'cascade' | 'split' | 'least-commission';
  readonly gates: readonly string[];
  readonly leftOut: readonly string[];
  readonly drawnBy?: 'customer' | 'chance';
  readonly shares?: readonly { readonly gate: string; readonly weight: number }[];
  readonly commissions?: readonly { readonly gate: string; readonly commission: string }[];
  readonly passedOver: readonly { readonly rule: string; readonly failed: readonly string[] }[];
  readonly facts: {
    readonly amount: string;
    readonly currency: string;
    readonly at: string;
    readonly bin?: string;
    readonly brand?: string;
    readonly country?: string;
  };
}

const CHOICES: Readonly<Record<ExplainedRoute['choice'], string>> = {
  cascade: 'in the order of the rule',
  split: 'split by weight',
  'least-commission': 'the least commission first',
};
const DRAWN = { customer: 'always so for this customer', chance: 'the first is drawn by chance, shown by weight' };

const factTexts = ({ amount, currency, at, bin, brand, country }: ExplainedRoute['facts']): string =>
  [
    `${amount} ${currency}`,
    `at ${at}`,
    `BIN ${bin ?? 'not known'}`,
    `brand ${brand ?? 'not known'}`,
    `country ${country ?? 'not known'}`,
  ].join(', ');

const gateText = (gate: string, { shares, commissions, facts }: ExplainedRoute): string => {
  const weight = shares?.find((share) => share.gate === gate)?.weight;
  const commission = commissions?.find((one) => one.gate === gate)?.commission;
  const weightText = weight === undefined ? '' : `  weight ${weight}`;
  return `${gate}${weightText}${commission === undefined ? '' : `  commission ${commission} ${facts.currency}`}`;
};

/** Lines for people: the facts, the rules that did not hold, and the gates in the order in which they would be tried. */
export const renderRoute = (explained: ExplainedRoute, paint: Paint): readonly string[] => {
  const { endpoint, rule, choice, gates, leftOut, drawnBy, passedOver, facts } = explained;
  const how = drawnBy === undefined ? CHOICES[choice] : `${CHOICES[choice]}, ${DRAWN[drawnBy]}`;
  return [
    `endpoint ${endpoint}: ${factTexts(facts)}`,
    ...passedOver.map(({ rule: name, failed }) => `  rule ${name} does not hold: ${failed.join(', ')}`),
    `  ${paint('strong', `rule ${rule}`)}${rule === 'default' ? ', the gates of the endpoint as they are listed' : `, ${how}`}`,
    ...gates.map((gate, index) => `    ${index + 1}. ${gateText(gate, explained)}`),
    ...leftOut.map((gate) => `    without ${gate}, whose circuit is open (orch gates)`),
  ];
};
