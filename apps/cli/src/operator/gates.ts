import { packageRoot, readEnvironment } from '@app/configuration';
import { readOperatorPort } from '../service/operator-port';
import { operatorToken } from '../service/operator-token';
import { asJson, listing, type Output } from '../terminal/output';
import type { Paint, Tone } from '../terminal/paint';

/** The service's answer, as far as it is shown. */
export interface ShownGate {
  readonly alias: string;
  readonly adapter: string;
  readonly circuit: 'closed' | 'open' | 'half-open' | 'off';
  readonly since: string | null;
  readonly calls: number;
  readonly failures: number;
  readonly nextProbeAt: string | null;
}

const TONES: Readonly<Record<ShownGate['circuit'], Tone>> = { closed: 'good', open: 'bad', 'half-open': 'waiting', off: 'plain' };

/** A line for people. */
export const renderGate = ({ alias, adapter, circuit, since, calls, failures, nextProbeAt }: ShownGate, paint: Paint): string => {
  const parts = [alias, adapter, paint(TONES[circuit], `circuit ${circuit}`)];
  if (since !== null) parts.push(`since ${since}`);
  if (circuit === 'closed') parts.push(`${failures} of ${calls} calls failed lately`);
  if (nextProbeAt !== null) parts.push(`next probe at ${nextProbeAt}`);
  return parts.join('  ');
};

/** `orch gates`: the configured gates with their circuits, as the running service that answers sees them. @throws CommandFailed */
export const listGates = (terminal: Output): Promise<void> =>
  listing(terminal, async (output) => {
    const environment = readEnvironment(process.env, packageRoot());
    const token = operatorToken(process.env, environment);
    const { gates } = (await readOperatorPort(environment, token, '/gates')) as { readonly gates: readonly ShownGate[] };
    for (const gate of gates) output.line(output.isJson ? asJson(gate) : renderGate(gate, output.paint));
  });
