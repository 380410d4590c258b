import { packageRoot, readEnvironment } from '@app/configuration';
import { CommandFailed, EXIT } from '../command-failed';
import { askOperatorPort } from '../service/operator-port';
import { operatorToken } from '../service/operator-token';
import { asJson, type Output } from '../terminal/output';
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

export interface ExplainOptions {
  readonly endpoint: string;
  readonly amount: string;
  readonly operation: string;
  readonly bin?: string;
  readonly currency?: string;
  readonly at?: string;
  readonly customer?: string;
  readonly country?: string;
}

const BIN_DIGITS = 6;

/** A whole card number is refused here, so that it does not travel. */
const questionOf = (options: ExplainOptions): ExplainOptions => {
  const { bin } = options;
  if (bin !== undefined && !(bin.length === BIN_DIGITS && /^\d+$/.test(bin)))
    throw new CommandFailed('--bin is the first six digits of a card number, and no more', EXIT.usage);
  return options;
};

/** `orch route explain`: which gates an order would try now, as the running service says, and why. @throws CommandFailed */
export const explainRoute = async (options: ExplainOptions, output: Output): Promise<void> => {
  const question = questionOf(options);
  const environment = readEnvironment(process.env, packageRoot());
  const token = operatorToken(process.env, environment);
  const explained = (await askOperatorPort(environment, token, '/routes/explanation', question)) as ExplainedRoute;
  if (output.isJson) output.line(asJson(explained));
  else for (const line of renderRoute(explained, output.paint)) output.line(line);
};
