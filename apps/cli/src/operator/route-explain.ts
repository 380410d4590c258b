import { packageRoot, readEnvironment } from '@app/configuration';
import { CommandFailed, EXIT } from '../command-failed';
import { askOperatorPort } from '../service/operator-port';
import { operatorToken } from '../service/operator-token';
import { asJson, type Output } from '../terminal/output';
import { renderRoute, type ExplainedRoute } from './render-route';

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
