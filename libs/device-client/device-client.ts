import { AccessTokenResponse, MerchantErrorResponse, merchantPath, type MerchantCause } from '@app/gateway-protocol';
import { Secret } from '@app/kernel';
import { DeviceSession } from './device-session';
import type { Outcome } from './outcome';
import { readAnswer } from './read-answer';
import { settled, type DeviceClientSettings, type SettledSettings } from './settings';

/**
 * The app's half of Group B (interface, sections 4.2 to 4.7): one device, its merchant server and the gateway. Whatever the network or a server does
 * comes back as an outcome.
 */
export class DeviceClient {
  readonly #settings: SettledSettings;

  /** @throws RangeError for an address that is none */
  constructor(settings: DeviceClientSettings) {
    this.#settings = settled(settings);
  }

  /**
   * Asks the merchant server for an access token and opens a session with it. `email` is how the sandbox's server learns who the consumer is
   * (protocol decisions, section 8); a product that has a login of its own gives the token there, for `session`.
   */
  async signIn({ email }: { readonly email?: string | undefined } = {}): Promise<Outcome<DeviceSession, MerchantCause>> {
    const query = email === undefined ? '' : `?${new URLSearchParams({ email }).toString()}`;
    const url = `${this.#settings.merchant}/${merchantPath.accessToken()}${query}`;
    const received = await this.#settings.transport.send({ method: 'GET', url });
    const answer = readAnswer(received, { Message: AccessTokenResponse, ErrorMessage: MerchantErrorResponse });
    if (answer.kind !== 'answered') return answer;
    return { kind: 'answered', value: this.session(new Secret(answer.value.session.accessToken)) };
  }

  /** With an access token that the app already has. */
  session(accessToken: Secret<string>): DeviceSession {
    return new DeviceSession(this.#settings, accessToken);
  }

  /** Resolves when what is under way has ended. */
  close(): Promise<void> {
    return this.#settings.transport.close();
  }
}
