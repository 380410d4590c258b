import { Get, HttpStatus, Inject, UseGuards } from '@nestjs/common';
import { KeyRingFault, type EnvelopeCardVault, type KeyUse } from '@app/card-vault';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { HttpReply } from '@app/http/server';
import { OperatorRoutes } from './operator.filter';
import { NoQuestionGuard } from './no-question.guard';
import { OperatorRequest } from './operator.guard';

@OperatorRoutes('keys')
export class OperatorKeysController {
  constructor(@Inject(CARD_VAULT) private readonly vault: Pick<EnvelopeCardVault, 'keyUse' | 'refreshKeyRing'>) {}

  /**
   * Number of vault rows per key-encrypting key. Reads every row
   * @answer 200 By key id; erased records have no key
   */
  @Get()
  @UseGuards(NoQuestionGuard)
  @OperatorRequest('list-keys')
  async keys(): Promise<HttpReply<KeyUse>> {
    try {
      // Shows the current keys after a rotation.
      await this.vault.refreshKeyRing();
    } catch (error) {
      if (!(error instanceof KeyRingFault)) throw error;
      return HttpReply.json(HttpStatus.SERVICE_UNAVAILABLE, { error: error.message });
    }
    return HttpReply.json(HttpStatus.OK, await this.vault.keyUse());
  }
}
