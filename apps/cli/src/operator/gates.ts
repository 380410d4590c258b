import { packageRoot, readEnvironment } from '@app/configuration';
import { readOperatorPort } from '../service/operator-port';
import { operatorToken } from '../service/operator-token';
import { asJson, listing, type Output } from '../terminal/output';
import { renderGate, type ShownGate } from './render-gate';

/** `orch gates`: the configured gates with their circuits, as the running service that answers sees them. @throws CommandFailed */
export const listGates = (terminal: Output): Promise<void> =>
  listing(terminal, async (output) => {
    const environment = readEnvironment(process.env, packageRoot());
    const token = operatorToken(process.env, environment);
    const { gates } = (await readOperatorPort(environment, token, '/gates')) as { readonly gates: readonly ShownGate[] };
    for (const gate of gates) output.line(output.isJson ? asJson(gate) : renderGate(gate, output.paint));
  });
