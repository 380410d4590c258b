import { join } from 'node:path';
import { loadConfiguration, packageRoot } from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { CommandFailed, EXIT, type Output, StopRequest } from '../terminal';
import { readPrivateKey } from '../verbs/sign';
import { MerchantSite } from './merchant-site';
import { type ProgramStart, SandboxPrograms } from './programs';
import type { ServiceSettings } from './settings';
import { DeviceVisit } from './tour/device-tour';
import { MerchantClient, newVisitId, TourFailed, TourReport, TourVisit } from './tour/visit';

const ENDING_MS = 1_000;

interface Stage {
  readonly programs: SandboxPrograms;
  readonly site: MerchantSite;
  readonly report: TourReport;
  readonly stop: StopRequest;
  readonly output: Output;
  readonly isOnce: boolean;
}

interface PlayedTour<Toured> {
  /** The merchant server is the last. Programs stop in this order. */
  readonly programs: readonly ProgramStart[];
  /** The service that the merchant uses. */
  readonly service: ServiceSettings;
  readonly callbackPort: number;
  /** @throws TourFailed at the first claim that does not hold */
  readonly play: (visit: TourVisit, device: DeviceVisit) => Promise<Toured>;
  readonly nextSteps: (visit: TourVisit, toured: Toured) => readonly (readonly [purpose: string, line: string])[];
}

const capitalised = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/**
 * Starts the programs, plays a tour over HTTP, then waits until the user or a program ends it.
 * Exit code: 0, 1 if a claim did not hold, 130 if the tour was interrupted.
 * @throws CommandFailed if a port is taken, or a program does not start or ended by itself
 */
export const playTour = async <Toured>(
  { programs: starts, service, callbackPort, play, nextSteps }: PlayedTour<Toured>,
  { isOnce }: { readonly isOnce: boolean },
  output: Output,
): Promise<number> => {
  const configuration = loadConfiguration(service.configurationPath, service.environment, GATE_ADAPTERS);
  const privateKey = readPrivateKey(join(packageRoot(), 'config', 'acme.key.pem'));
  const report = new TourReport(output);
  const stop = new StopRequest();
  const programs = await SandboxPrograms.start(starts);
  const [{ controlKey }] = configuration.accounts.merchants;
  const site = await MerchantSite.open(callbackPort, controlKey).catch(async (error: unknown) => {
    await programs.stop();
    throw error;
  });
  const siteUrl = urlOf(callbackPort);
  const visit = new TourVisit(new MerchantClient(configuration, privateKey, report), report, site, siteUrl, newVisitId());
  const device = new DeviceVisit(visit, { gatewayUrl: urlOf(service.port), merchantUrl: urlOf(starts.at(-1)?.port ?? 0) });
  const stage: Stage = { programs, site, report, stop, output, isOnce };
  try {
    for (const { title, port, dataDir, logPath } of programs.running)
      report.say(`${capitalised(title)} listens on ${urlOf(port)}; its data are in ${dataDir}, its log is ${logPath}.`);
    report.say(`The merchant’s own site listens on ${siteUrl}.`);
    const toured = await Promise.race([play(visit, device), interruption(stage)]);
    report.say('\nAll claims held.');
    return isOnce ? 0 : await stayUp(stage, nextSteps(visit, toured));
  } catch (error) {
    if (stop.isRequested) return EXIT.interrupted;
    if (!(error instanceof TourFailed)) throw (await programs.endedWithin(ENDING_MS)) ?? error;
    output.problem(`the tour stops here: this did not hold: ${error.message}`);
    return EXIT.failed;
  } finally {
    await device.close();
    await programs.stop();
    await site.close();
  }
};

const urlOf = (port: number): string => `http://127.0.0.1:${port}`;

const interruption = async ({ stop, programs }: Stage): Promise<never> => {
  throw (await Promise.race([stop.requested, programs.ended()])) ?? new CommandFailed('interrupted', EXIT.interrupted);
};

const stayUp = async (
  { programs, site, report, stop }: Stage,
  steps: readonly (readonly [purpose: string, line: string])[],
): Promise<number> => {
  report.step('Your turn', 'All programs stay up. Paste these into a second shell in this folder; Ctrl-C here stops it.');
  for (const [purpose, line] of steps) report.command(purpose, line);
  site.onCallback(({ webhookId, members, isAuthentic }) => {
    report.answer(`callback ${webhookId}${isAuthentic ? '' : ', with a wrong control: refused'}`, members);
  });
  const ended = await Promise.race([stop.requested, programs.ended()]);
  if (ended === undefined || stop.isRequested) return 0;
  throw ended;
};
