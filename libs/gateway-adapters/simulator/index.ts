export { simulatorAdapter } from './adapter';
export type { Page } from './authentication-page';
export { type Fault, FaultsOnDemand, type GateCall, type SimulatorFaults } from './faults';
export type { FollowUpTransaction, Transaction } from './ledger/transaction';
export { openSimulatorLedger, type SimulatorLedger } from './ledger/ledger';
export { type LedgerReader, readLedger } from './ledger/ledger-reader';
export { UNDECIDED_MS_MAX } from './settings.schema';
export { settlementRows } from './settlement-format';
export { SimulatorGate } from './simulator-gate';
