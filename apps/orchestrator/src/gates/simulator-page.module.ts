import { Module } from '@nestjs/common';
import { SimulatorPageController } from './simulator-page.controller';

/** Serves the simulator's authentication page. A module apart from the gates, because workers have gates and serve no page. */
@Module({ controllers: [SimulatorPageController] })
export class SimulatorPageModule {}
