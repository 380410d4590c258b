import { packageRoot, readEnvironment } from '@app/configuration';
import { askForText, claimOf } from '../service/operator-port';
import { operatorToken } from '../service/operator-token';
import { asJson, type Output } from '../terminal/output';

export interface ConfigurationOptions {
  readonly at?: string;
  readonly actor?: string;
}

interface InForce {
  readonly version: number;
  readonly digest: string;
  readonly tookEffectAt: string;
  readonly replacedAt: string | null;
  readonly process: string;
  readonly omitted: string | null;
  readonly keys: readonly string[];
  readonly configuration: object | null;
}

const INDENT = 2;

/** `orch audit configuration`: which configuration applied at a moment, which the running service answers and records. @throws CommandFailed */
export const showConfiguration = async ({ at, actor }: ConfigurationOptions, output: Output): Promise<void> => {
  const environment = readEnvironment(process.env, packageRoot());
  const asked = new URLSearchParams({ ...(at !== undefined && { at }), ...claimOf(actor) }).toString();
  const { text } = await askForText(environment, operatorToken(process.env, environment), `/audit/configuration?${asked}`, undefined);
  const { version: _version, ...inForce } = JSON.parse(text) as InForce;
  if (output.isJson) return output.line(asJson(inForce));
  const { digest, tookEffectAt, replacedAt, process: bootId, omitted, keys, configuration } = inForce;
  output.line(`configuration ${output.paint('strong', digest)}`);
  output.line(
    `took effect ${tookEffectAt}, ${replacedAt === null ? 'and is the newest on record' : `replaced ${replacedAt}`}; process ${bootId}`,
  );
  output.line(`keys of the vault: ${keys.join(', ')}`);
  output.line(configuration === null ? `no copy: ${omitted ?? '-'}` : JSON.stringify(configuration, null, INDENT));
};
