import { isSameSecret } from '@app/gateway-protocol';
import type { ConsumerAnswer, ConsumerAuthentication, TokenRequest } from '../application/consumer-authentication';

const BEARER = /^Bearer ([!-~]{1,1024})$/;
/** The limits of consumer.email (interface, section 2.6). */
const EMAIL_LENGTH_MIN = 3;
const EMAIL_LENGTH_MAX = 128;
const CONTROL_CHARACTER = /\p{Cc}/u;

const isEmail = (text: string): boolean =>
  text.length >= EMAIL_LENGTH_MIN && text.length <= EMAIL_LENGTH_MAX && text.isWellFormed() && !CONTROL_CHARACTER.test(text);

/**
 * Identifies consumers by the caller's `?email=` where no product does it (protocol decisions, section 8). Where the product has a
 * `tokenSecret` the caller must be its own server and present it; in production no token is issued without one.
 */
export class ConfiguredConsumers implements ConsumerAuthentication {
  constructor(private readonly isProduction: boolean) {}

  async authenticate({ product, query, header }: TokenRequest): Promise<ConsumerAnswer> {
    const { tokenSecret } = product;
    if (tokenSecret === undefined) {
      if (this.isProduction) return { kind: 'refused' };
    } else {
      const [, shown] = BEARER.exec(header('authorization') ?? '') ?? [];
      if (shown === undefined || !isSameSecret(tokenSecret.reveal(), shown)) return { kind: 'refused' };
    }
    const [email, ...more] = query.getAll('email');
    if (email === undefined) return { kind: 'known' };
    if (more.length > 0 || !isEmail(email)) return { kind: 'malformed', message: 'email must be given once, 3 to 128 characters' };
    return { kind: 'known', email };
  }
}
