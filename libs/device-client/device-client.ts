import { AccessTokenResponse, MerchantErrorResponse, merchantPath, type MerchantCause } from '@app/gateway-protocol';
import { Secret } from '@app/kernel';
import { DeviceSession } from './device-session';
import type { Outcome } from './outcome';
import { readAnswer } from './read-answer';
import { completeSettings, type DeviceClientSettings, type CompleteSettings } from './settings';

/**
 * The app's side of Group B (interface, sections 4.2 to 4.7): one device, its merchant server and the gateway. Failures of a network or
 * server are returned, never thrown.
 */
export class DeviceClient {
  readonly #settings: CompleteSettings;

  /** @throws RangeError for an invalid address */
  constructor(settings: DeviceClientSettings) {
    this.#settings = completeSettings(settings);
  }

  /**
   * Gets an access token from the merchant server and opens a session. Only the sandbox's server identifies the consumer by `email`
   * (protocol decisions, section 8).
   * A product with its login system issues the token after that login and calls `session`.
   */
  async signIn({ email }: { readonly email?: string | undefined } = {}): Promise<Outcome<DeviceSession, MerchantCause>> {
    const query = email === undefined ? '' : `?${new URLSearchParams({ email }).toString()}`;
    const url = `${this.#settings.merchant}/${merchantPath.accessToken()}${query}`;
    const received = await this.#settings.transport.send({ method: 'GET', url });
    const answer = readAnswer(received, { Message: AccessTokenResponse, ErrorMessage: MerchantErrorResponse });
    if (answer.kind !== 'answered') return answer;
    return { kind: 'answered', value: this.session(new Secret(answer.value.session.accessToken)) };
  }

  session(accessToken: Secret<string>): DeviceSession {
    return new DeviceSession(this.#settings, accessToken);
  }

  close(): Promise<void> {
    return this.#settings.transport.close();
  }
}
