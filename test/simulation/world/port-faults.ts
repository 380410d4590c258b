import { VaultUnavailable } from '@app/card-vault';
import type { VirtualClock } from '@app/testing';
import type { KeyedChance } from './keyed-chance';
import type { Life } from './life';
import type { Swarm } from './swarm';

const VAULT_AWAY_MS_MAX = 120_000;
const UNTOLD_MS_MAX = 20_000;
/** New read models take a hundred such statements in one transaction. At the rate of the others a storm would leave none. */
const SCHEMA_LESS = 50;

interface PortFaultSettings {
  readonly time: VirtualClock;
  readonly chance: KeyedChance;
  readonly swarm: () => Swarm;
}

/** Like a driver's error, which does not show that the fault was injected. */
export class DatabaseAway extends Error {}

export class PortFaults {
  #vaultAwayUntilMs = 0;

  constructor(private readonly settings: PortFaultSettings) {}

  begin(): void {
    const { chance, time, swarm } = this.settings;
    if (!chance.happens(swarm().vault.awayAtStart, 'vault.away-at-start')) return;
    this.#vaultAwayUntilMs = time.now() + chance.between(1_000, VAULT_AWAY_MS_MAX, 'vault.away-ms');
  }

  /**
   * @param loseOwnershipUntold ends the process's right to project
   * @throws DatabaseAway if the statement is refused or its answer is lost
   */
  interrupt(life: Life, kind: string, when: 'before' | 'after', loseOwnershipUntold: () => () => void): void {
    if (life.hasEnded) return;
    const { chance, time, swarm } = this.settings;
    const { refused, commitLost, sessionBreaks } = swarm().database;
    const isFault =
      when === 'before'
        ? chance.happens(kind === 'schema' ? refused / SCHEMA_LESS : refused, 'database.refused', kind)
        : kind === 'commit' && chance.happens(commitLost, 'database.lost');
    if (!isFault) return;
    if (chance.happens(sessionBreaks, 'database.session-breaks'))
      time.after(chance.between(1, UNTOLD_MS_MAX, 'database.session-breaks-ms'), loseOwnershipUntold());
    throw new DatabaseAway('the database is away');
  }

  vault(when: 'before' | 'after'): void {
    const { chance, time, swarm } = this.settings;
    const { refused, answerLost } = swarm().vault;
    if (time.now() < this.#vaultAwayUntilMs || chance.happens(when === 'before' ? refused : answerLost, `vault.${when}`))
      throw new VaultUnavailable('the vault is away');
  }
}
