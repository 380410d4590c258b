import { Module } from '@nestjs/common';
import { SimulatorPageController } from './simulator-page.controller';

/** Separate from the gates' module, because workers have gates but serve no page. */
@Module({ controllers: [SimulatorPageController] })
export class SimulatorPageModule {}
