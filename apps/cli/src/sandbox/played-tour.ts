import { CommandFailed, EXIT, type Output, type StopRequest } from '../terminal';
import type { MerchantSite } from './merchant-site';
import { type TourReport, TourFailed } from './tour/visit';

const INTERRUPTED = 130;
const ENDING_MS = 1_000;

interface WatchedPrograms {
  ended(): Promise<CommandFailed>;
  endedWithin(timeoutMs: number): Promise<CommandFailed | undefined>;
}

interface Stage {
  readonly programs: WatchedPrograms;
  readonly site: MerchantSite;
  readonly report: TourReport;
  readonly stop: StopRequest;
  readonly output: Output;
  readonly isOnce: boolean;
}

interface PlayedTour<Toured> {
  /** @throws TourFailed at the first claim that does not hold */
  readonly play: () => Promise<Toured>;
  readonly nextSteps: (toured: Toured) => readonly (readonly [purpose: string, line: string])[];
}

/**
 * Plays a tour, then waits until the user or a program ends it.
 * Exit code: 0, 1 if a claim did not hold, 130 if the tour was interrupted. @throws CommandFailed if a program ended by itself
 */
export const playTour = async <Toured>(stage: Stage, { play, nextSteps }: PlayedTour<Toured>): Promise<number> => {
  const { programs, report, stop, output, isOnce } = stage;
  try {
    const toured = await Promise.race([play(), interruption(stage)]);
    report.say('\nAll came out as told.');
    return isOnce ? 0 : await stayUp(stage, nextSteps(toured));
  } catch (error) {
    if (stop.isRequested) return INTERRUPTED;
    if (!(error instanceof TourFailed)) throw (await programs.endedWithin(ENDING_MS)) ?? error;
    output.problem(`the tour stops here: this did not hold: ${error.message}`);
    return 1;
  }
};

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
