import type { GateCalls, HeldJson, ListedGate, ListedGates, RouteExplanation } from '@app/investigation';
import { Option, type Command } from 'commander';
import { OPERATIONS } from '@app/orders/domain';
import {
  ACTOR,
  listing,
  type Output,
  REASON,
  type Paint,
  type Tone,
  CommandFailed,
  EXIT,
  type CommandContext,
  writeResult,
} from '../terminal';
import { claimOf, OperatorPort } from '../operator-port';

const TONES: Readonly<Record<ListedGate['circuit'], Tone>> = { closed: 'good', open: 'bad', 'half-open': 'waiting', off: 'plain' };

/** Calls of all processes. */
const lastHourText = ({ calls, latency: { p50Ms, p95Ms }, declines }: GateCalls): string => {
  const counts = Object.entries(calls).flatMap(([outcome, count]) => (count === 0 ? [] : [`${count} ${outcome}`]));
  const times = p50Ms === null ? [] : [`half within ${p50Ms} ms, 95 % within ${p95Ms} ms`];
  const codes = declines.length === 0 ? [] : [`declines ${declines.map(({ code, count }) => `${code}: ${count}`).join(', ')}`];
  return `last hour ${counts.length === 0 ? 'no calls' : [counts.join(', '), ...times, ...codes].join('; ')}`;
};

export const renderGate = (
  { alias, adapter, circuit, since, calls, failures, nextProbeAt, heldSince, heldBy, lastHour }: ListedGate,
  paint: Paint,
): string => {
  const held = heldSince === null ? [] : [paint('bad', `held since ${heldSince} by ${heldBy}`)];
  const parts = [alias, adapter, ...held, paint(TONES[circuit], `circuit ${circuit}`)];
  if (since !== null) parts.push(`since ${since}`);
  if (circuit === 'closed') parts.push(`${failures} of ${calls} calls failed lately`);
  if (nextProbeAt !== null) parts.push(`next probe at ${nextProbeAt}`);
  if (lastHour !== null) parts.push(lastHourText(lastHour));
  return parts.join('  ');
};

const listGates = (terminal: Output): Promise<void> =>
  listing(terminal, async (output) => {
    const { gates } = await OperatorPort.of().read<ListedGates>('/gates');
    for (const gate of gates) writeResult(output, gate, () => renderGate(gate, output.paint));
  });

const heldText = ({ kind, id, merchant, since, by }: HeldJson): string =>
  `${kind} ${id}${merchant === undefined ? '' : `  ${merchant}`}  held since ${since} by ${by}`;

const listHeldEndpoints = (terminal: Output): Promise<void> =>
  listing(terminal, async (output) => {
    const { holds } = await OperatorPort.of().read<{ readonly holds: readonly HeldJson[] }>('/holds');
    for (const held of holds) if (held.kind === 'endpoint') writeResult(output, held, () => heldText(held));
  });

interface SwitchOptions {
  readonly reason: string;
  readonly actor?: string;
}

interface Switched {
  readonly isHeld: boolean;
  readonly isChanged: boolean;
}

export const switchedText = ({ isHeld, isChanged }: Switched): string => {
  if (!isChanged) return isHeld ? 'was held before, and still gets no new orders' : 'was not held, so nothing changed';
  return `${isHeld ? 'is held, and gets no new orders' : 'is released, and gets new orders again'}: in every process within 5 s`;
};

const turn = async (
  kind: HeldJson['kind'],
  id: string,
  to: 'hold' | 'hold/release',
  asked: SwitchOptions,
  output: Output,
): Promise<void> => {
  const path = `/${kind}s/${encodeURIComponent(id)}/${to}`;
  const switched = await OperatorPort.of().ask<Switched>(path, { reason: asked.reason, ...claimOf(asked.actor) });
  writeResult(output, { [kind]: id, ...switched }, () => `${kind} ${id} ${switchedText(switched)}`);
};

const addSwitch = (parent: Command, kind: HeldJson['kind'], argument: string, { output }: CommandContext): void => {
  const name = kind === 'gate' ? 'gate' : 'entry point';
  parent
    .command(`hold <${argument}>`)
    .description(`send no new orders to the ${name}; accepted orders continue`)
    .requiredOption(...REASON)
    .option(...ACTOR)
    .action((id: string, options: SwitchOptions) => turn(kind, id, 'hold', options, output()));
  parent
    .command(`release <${argument}>`)
    .description(`let new orders use the ${name} again`)
    .requiredOption(...REASON)
    .option(...ACTOR)
    .action((id: string, options: SwitchOptions) => turn(kind, id, 'hold/release', options, output()));
};

const CHOICES: Readonly<Record<RouteExplanation['choice'], string>> = {
  cascade: 'in the order of the rule',
  split: 'split by weight',
  'least-commission': 'the least commission first',
};
const DRAWN = { customer: 'always so for this customer', chance: 'the first is drawn by chance, shown by weight' };

const factTexts = ({ amount, currency, at, bin, brand, country }: RouteExplanation['facts']): string =>
  [
    `${amount} ${currency}`,
    `at ${at}`,
    `BIN ${bin ?? 'not known'}`,
    `brand ${brand ?? 'not known'}`,
    `country ${country ?? 'not known'}`,
  ].join(', ');

const gateText = (gate: string, { shares, commissions, facts }: RouteExplanation): string => {
  const weight = shares?.find((share) => share.gate === gate)?.weight;
  const commission = commissions?.find((one) => one.gate === gate)?.commission;
  const weightText = weight === undefined ? '' : `  weight ${weight}`;
  return `${gate}${weightText}${commission === undefined ? '' : `  commission ${commission} ${facts.currency}`}`;
};

export const renderRoute = (explained: RouteExplanation, paint: Paint): readonly string[] => {
  const { endpoint, rule, choice, gates, leftOut, heldGates, drawnBy, passedOver, facts } = explained;
  const how = drawnBy === undefined ? CHOICES[choice] : `${CHOICES[choice]}, ${DRAWN[drawnBy]}`;
  return [
    `endpoint ${endpoint}: ${factTexts(facts)}`,
    ...passedOver.map(({ rule: name, failed }) => `  rule ${name} does not hold: ${failed.join(', ')}`),
    `  ${paint('strong', `rule ${rule}`)}${rule === 'default' ? ', the gates of the endpoint as they are listed' : `, ${how}`}`,
    ...gates.map((gate, index) => `    ${index + 1}. ${gateText(gate, explained)}`),
    ...leftOut.map((gate) => `    without ${gate}, whose circuit is open (orch gates)`),
    ...heldGates.map((gate) => `    without ${gate}, held by an operator (orch gates)`),
  ];
};

interface ExplainOptions {
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

/** A whole card number is refused here, so that it is never sent. */
const questionOf = (options: ExplainOptions): ExplainOptions => {
  const { bin } = options;
  if (bin !== undefined && !(bin.length === BIN_DIGITS && /^\d+$/.test(bin)))
    throw new CommandFailed('--bin must be the first six digits of a card number, and no more', EXIT.usage);
  return options;
};

const explainRoute = async (options: ExplainOptions, output: Output): Promise<void> => {
  const question = questionOf(options);
  const explained = await OperatorPort.of().ask<RouteExplanation>('/routes/explanation', question);
  writeResult(output, explained, () => renderRoute(explained, output.paint));
};

export const addRoutingCommands = (program: Command, context: CommandContext): void => {
  const { output } = context;
  const gates = program
    .command('gates')
    .description('list the gates, which of them new orders skip, and their calls of the last hour; needs a running service')
    .action(() => listGates(output()));
  addSwitch(gates, 'gate', 'alias', context);

  const endpoints = program
    .command('endpoints')
    .description('list the entry points that are held; needs a running service')
    .action(() => listHeldEndpoints(output()));
  addSwitch(endpoints, 'endpoint', 'id', context);

  program
    .command('route')
    .description('the gates that orders try')
    .command('explain')
    .description('show which gates an order would try, and why; nothing is accepted or recorded; needs a running service')
    .requiredOption('--endpoint <id>', 'entry point, or group of entry points')
    .requiredOption('--amount <amount>', 'in major units, such as 10.00')
    .option('--bin <digits>', 'the first six digits of the card number')
    .option('--currency <code>', 'three letters (default: the currency of the entry point)')
    .option('--at <time>', 'a time with Z or an offset, such as 2026-11-24T08:30Z (default: now)')
    .option('--customer <address>', 'the payer’s e-mail address, which selects the gate of a sticky split')
    .option('--country <code>', 'country of the card, three letters, instead of the country that the gates report for its BIN')
    .addOption(new Option('--operation <operation>', 'the operation at the gate').choices(OPERATIONS).default('sale'))
    .action((options: ExplainOptions) => explainRoute(options, output()));
};
