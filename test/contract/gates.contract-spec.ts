import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { paynetUnderContract } from './gates/paynet';
import { simulatorUnderContract } from './gates/simulator';
import { templateUnderContract } from './gates/template';
import type { ConfiguredGate } from '@app/gateway-adapters/registry';
import { describeGateContract, type ContractedGate } from '@app/testing';

const root = mkdtempSync(join(tmpdir(), 'gate-contract-'));
afterAll(() => rmSync(root, { recursive: true }));

/** Each adapter of the registry needs a line here. */
const ADAPTERS: Readonly<Record<ConfiguredGate['adapter'] | 'template', readonly ContractedGate[]>> = {
  simulator: simulatorUnderContract,
  paynet: paynetUnderContract,
  template: templateUnderContract,
};

/** `npm run test:gate -- <name>` runs the contract on one adapter. */
const { GATE: wanted } = process.env;
const chosen = Object.entries(ADAPTERS).filter(([name]) => wanted === undefined || name === wanted);
if (chosen.length === 0) throw new Error(`no adapter is called ${wanted}: there are ${Object.keys(ADAPTERS).join(', ')}`);

for (const [, gates] of chosen)
  for (const { title, traits, open } of gates) describeGateContract(title, traits, () => open(mkdtempSync(join(root, 'gate-'))));
