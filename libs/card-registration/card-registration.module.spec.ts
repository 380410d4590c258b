import { Test } from '@nestjs/testing';
import { modulePorts } from '@app/testing/module-ports';
import { IssuedReferences } from './application/issued-references';
import { KeepGateToken } from './application/keep-gate-token.reactor';
import { MapCards } from './application/map-cards';
import { RegisterCardHandler } from './application/register-card.handler';
import { CardRegistrationModule } from './card-registration.module';

it('offers the registration of cards, the references that were issued, and the mapping of an order’s cards', async () => {
  const module = await Test.createTestingModule({ imports: [modulePorts(), CardRegistrationModule] }).compile();
  for (const part of [RegisterCardHandler, IssuedReferences, KeepGateToken, MapCards]) expect(module.get(part)).toBeInstanceOf(part);
});
