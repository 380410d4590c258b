import type { CheckpointPlace } from '../building/checkpoint-place';
import type { VerifyKey } from '../checkpoints/log-key';
import type { LogReadingSettings } from './log-reading';

export interface VerifyLogSettings extends Omit<LogReadingSettings, 'tiles' | 'comparison' | 'meetings'> {
  readonly places: readonly CheckpointPlace[];
  /** Undefined: signatures are not checked, and checkpoints are only compared. */
  readonly key: VerifyKey | undefined;
  readonly origin: string;
}
