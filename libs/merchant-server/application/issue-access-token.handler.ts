import { runOpeningDecision } from '@app/event-store';
import type { Product } from '@app/configuration';
import { accessTokenCodec } from '../access-token.codec';
import { accessToken } from '../domain/access-token.decide';
import type { Consumer } from '../domain/access-token.events';
import { accessTokenStream } from '../merchant-server.stream';
import type { KnownConsumer } from './consumer-authentication';
import { digestOf } from './digests';
import { envelopeOf } from './envelope';
import type { MerchantServerPorts } from './ports';
import { randomText } from './random-text';

/** Issues an access token to a consumer; the token itself is not stored. */
export class IssueAccessTokenHandler {
  constructor(private readonly ports: MerchantServerPorts) {}

  /** @throws StoreUnavailable, OutcomeUnknown */
  async handle(product: Product, known: KnownConsumer): Promise<string> {
    const { store, digests, clock, random } = this.ports;
    const token = randomText(random);
    const consumer = this.consumerOf(product, known);
    const result = await runOpeningDecision({
      store,
      codec: accessTokenCodec,
      decider: accessToken,
      stream: accessTokenStream(product.login, digestOf(digests, 'access token', product.login, token)),
      command: { type: 'IssueAccessToken', data: { now: clock.now(), ...(consumer && { consumer }) } },
      envelope: envelopeOf(this.ports, 'device', product.login),
    });
    if (result.kind === 'rejected') throw new Error(`access token: ${result.rejection.reason}`);
    return token;
  }

  private consumerOf({ login }: Product, { id, email }: KnownConsumer): Consumer | undefined {
    const name = id === undefined ? email?.toLowerCase() : id;
    if (name === undefined) return undefined;
    const { digests, sealer } = this.ports;
    const consumer = digestOf(digests, 'consumer', login, id === undefined ? 'email' : 'id', name);
    return { consumer, ...(email !== undefined && { email: sealer.seal(login, 'email', email) }) };
  }
}
