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
