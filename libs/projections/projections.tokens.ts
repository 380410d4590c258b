import { token } from '@app/injection';
import type { ReadModel } from './engine/read-model';

export const READ_MODEL = token<ReadModel>('READ_MODEL');
