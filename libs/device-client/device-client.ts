import { AccessTokenResponse, MerchantErrorResponse, merchantPath, type MerchantCause } from '@app/gateway-protocol';
import { Secret } from '@app/kernel';
import { DeviceSession } from './device-session';
import type { Outcome } from './outcome';
import { readAnswer } from './read-answer';
import { completeSettings, type DeviceClientSettings, type CompleteSettings } from './settings';

/**
 * The app's half of Group B (interface, sections 4.2 to 4.7): one device, its merchant server and the gateway. Every failure of the network or of a
 * server is a returned outcome.
 */
export class DeviceClient {
  readonly #settings: CompleteSettings;

  /** @throws RangeError for an invalid address */
  constructor(settings: DeviceClientSettings) {
    this.#settings = completeSettings(settings);
  }

  /**
   * Asks the merchant server for an access token and opens a session with it. The sandbox's server identifies the consumer by `email`
   * (protocol decisions, section 8); a product with a login of its own issues the token there, for `session`.
   */
  async signIn({ email }: { readonly email?: string | undefined } = {}): Promise<Outcome<DeviceSession, MerchantCause>> {
    const query = email === undefined ? '' : `?${new URLSearchParams({ email }).toString()}`;
    const url = `${this.#settings.merchant}/${merchantPath.accessToken()}${query}`;
    const received = await this.#settings.transport.send({ method: 'GET', url });
    const answer = readAnswer(received, { Message: AccessTokenResponse, ErrorMessage: MerchantErrorResponse });
    if (answer.kind !== 'answered') return answer;
    return { kind: 'answered', value: this.session(new Secret(answer.value.session.accessToken)) };
  }

  /** Opens a session with an access token that the app already has. */
  session(accessToken: Secret<string>): DeviceSession {
    return new DeviceSession(this.#settings, accessToken);
  }

  /** Resolves when the calls under way have ended. */
  close(): Promise<void> {
    return this.#settings.transport.close();
  }
}
