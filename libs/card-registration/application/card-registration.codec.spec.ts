import { join } from 'node:path';
import { goldenSpec } from '@app/event-store/testing';
import { cardRegistrationCodec } from './card-registration.codec';

goldenSpec(cardRegistrationCodec, join(__dirname, '../golden'));
