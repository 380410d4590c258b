import { FIRST_CONFIGURATION, type ConfigurationRates } from './configurations';
import { HEALTHY_GATE, type GateFaults } from './gate-actor';
import type { KeyedChance } from './keyed-chance';
import { NO_STORE_FAULTS, type StoreFaults } from './faulty-store';
import { HEALTHY_MERCHANT, type MerchantFaults } from './merchant-actor';
import { HONEST_LINE, type LineFaults } from './merchant-server-line';
import { HEALTHY_NETWORK, type NetworkFaults } from './network';
import { NOBODY_ON_CALL, type OnCallActions } from './on-call-actor';
import { NO_OPERATORS, type OperatorActions } from './operator-actor';

interface DatabaseFaults {
  readonly refused: number;
  readonly commitLost: number;
  readonly ownershipLost: number;
  /** The process is notified only later, so two project at once. */
  readonly ownershipUntold: number;
  /** Share of statement faults that also break the session with the right to project; the process is notified later. */
  readonly sessionBreaks: number;
  readonly rowsRot: number;
  readonly lost: number;
  readonly behind: number;
}

interface VaultFaults {
  readonly refused: number;
  readonly answerLost: number;
  readonly awayAtStart: number;
  readonly keyRotated: number;
}

interface ProcessFaults {
  readonly dies: number;
  readonly pauses: number;
  readonly clockJumps: number;
  readonly clocksSetBack: number;
}

export interface Swarm {
  readonly store: StoreFaults;
  readonly database: DatabaseFaults;
  readonly vault: VaultFaults;
  readonly gate: GateFaults;
  readonly merchant: MerchantFaults;
  readonly network: NetworkFaults;
  readonly line: LineFaults;
  readonly operators: OperatorActions;
  readonly onCall: OnCallActions;
  readonly configuration: ConfigurationRates;
  readonly process: ProcessFaults;
}

export const HEALTHY: Swarm = {
  store: NO_STORE_FAULTS,
  database: { refused: 0, commitLost: 0, ownershipLost: 0, ownershipUntold: 0, sessionBreaks: 0, rowsRot: 0, lost: 0, behind: 0 },
  vault: { refused: 0, answerLost: 0, awayAtStart: 0, keyRotated: 0 },
  gate: HEALTHY_GATE,
  merchant: HEALTHY_MERCHANT,
  network: HEALTHY_NETWORK,
  line: HONEST_LINE,
  operators: NO_OPERATORS,
  onCall: NOBODY_ON_CALL,
  configuration: FIRST_CONFIGURATION,
  process: { dies: 0, pauses: 0, clockJumps: 0, clocksSetBack: 0 },
};

/** The highest rate of each fault. A storm has only some of them. */
const MOST: Swarm = {
  store: {
    refused: 0.15,
    answerLost: 0.15,
    storedLate: 0.05,
    slow: 0.1,
    ahead: 0.2,
    unread: 0.1,
    dropped: 0.02,
    doubled: 0.8,
    stalled: 0.02,
    leaderMoves: 30,
  },
  // A quarter of `lost` and of `behind` is its share of all runs.
  database: {
    refused: 0.05,
    commitLost: 0.05,
    ownershipLost: 60,
    ownershipUntold: 60,
    sessionBreaks: 0.8,
    rowsRot: 120,
    lost: 0.4,
    behind: 0.4,
  },
  vault: { refused: 0.2, answerLost: 0.1, awayAtStart: 0.5, keyRotated: 0.5 },
  gate: {
    notAsked: 0.2,
    requestLost: 0.2,
    answerLost: 0.3,
    late: 0.2,
    overdue: 0.2,
    beyondFlight: 0.05,
    slow: 0.3,
    answersLate: 0.5,
    mute: 0.4,
    inquiryUnknown: 0.4,
    contradicts: 0.15,
    declines: 0.3,
    payerNeeded: 0.5,
  },
  merchant: { down: 0.5, answerLost: 0.3, failing: 0.3, slow: 0.3, payerLeaves: 0.4, forges: 0.3 },
  network: { requestLost: 0.2, answerLost: 0.2, doubled: 0.2, slow: 0.1 },
  line: { forged: 0.5 },
  operators: {
    resolves: 1,
    doubled: 0.5,
    errs: 0.3,
    hasty: 0.7,
    resends: 0.7,
    unparks: 0.5,
    impostors: 0.4,
    moves: 0.4,
    alone: 0.3,
    rebuilds: 0.3,
  },
  onCall: { holds: 0.7 },
  configuration: {
    limited: 0.5,
    routed: 0.7,
    screened: 0.7,
    numericIds: 0.15,
    approvals: 1,
    changes: 0.7,
    applied: 0.8,
    lags: 0.8,
    rotates: 0.7,
    gateGone: 0.5,
  },
  process: { dies: 0.004, pauses: 20, clockJumps: 20, clocksSetBack: 0.5 },
};

const HALF = 0.5;

type Rates = Readonly<Record<string, number>>;

/** A run has each fault with probability one half, at a rate up to its maximum. Rare faults only meet if others are absent. */
const drawn = <Part extends object>(most: Part, healthy: Part, chance: KeyedChance, name: string): Part => {
  const rates = Object.entries(most as Rates).map(([fault, rate]) => {
    const isIn = chance.happens(HALF, 'swarm.has', `${name}.${fault}`);
    return [fault, isIn ? rate * chance.fraction('swarm.rate', `${name}.${fault}`) : ((healthy as Rates)[fault] ?? 0)];
  });
  return Object.fromEntries(rates) as Part;
};

const drawnSwarm = (chance: KeyedChance): Swarm => ({
  store: drawn(MOST.store, HEALTHY.store, chance, 'store'),
  database: drawn(MOST.database, HEALTHY.database, chance, 'database'),
  vault: drawn(MOST.vault, HEALTHY.vault, chance, 'vault'),
  gate: drawn(MOST.gate, HEALTHY.gate, chance, 'gate'),
  merchant: drawn(MOST.merchant, HEALTHY.merchant, chance, 'merchant'),
  network: drawn(MOST.network, HEALTHY.network, chance, 'network'),
  line: drawn(MOST.line, HEALTHY.line, chance, 'line'),
  operators: drawn(MOST.operators, HEALTHY.operators, chance, 'operators'),
  onCall: drawn(MOST.onCall, HEALTHY.onCall, chance, 'on-call'),
  configuration: drawn(MOST.configuration, HEALTHY.configuration, chance, 'configuration'),
  process: drawn(MOST.process, HEALTHY.process, chance, 'process'),
});

/** Share of runs in which gates are mute, late and contradict themselves, while operators settle what they can. By chance these rarely meet. */
const UNRELIABLE_SHARE = 0.15;
const UNRELIABLE_GATES = {
  mute: 0.15,
  answersLate: MOST.gate.answersLate,
  contradicts: MOST.gate.contradicts,
  // Orders that fail earlier never come so far.
  notAsked: 0,
  requestLost: 0,
  declines: HEALTHY_GATE.declines,
} as const;

export const hasUnreliableGates = (chance: KeyedChance): boolean => chance.happens(UNRELIABLE_SHARE, 'world.has-unreliable-gates');

export const swarmOf = (chance: KeyedChance, isUnreliable: boolean): Swarm => {
  const swarm = drawnSwarm(chance);
  if (!isUnreliable) return swarm;
  const operators = { ...swarm.operators, resolves: MOST.operators.resolves };
  return { ...swarm, gate: { ...swarm.gate, ...UNRELIABLE_GATES }, line: HEALTHY.line, operators };
};
