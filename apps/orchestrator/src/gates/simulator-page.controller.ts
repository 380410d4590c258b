import { All, Controller, Get, HttpStatus, Inject, Param, Post } from '@nestjs/common';
import type { AttemptKey } from '@app/kernel';
import type { Page } from '@app/gateway-adapters/simulator';
import { messagePage, PAGE_POLICY } from '@app/gateway-protocol';
import { HttpReply } from '@app/http/server';
import { token } from '@app/kernel/injection';

export interface SimulatorPages {
  pageFor(gate: string, key: AttemptKey): Page | undefined;
}
export const SIMULATOR_PAGES = token<SimulatorPages>('SIMULATOR_PAGES');

/** Stands in for an issuer's authentication page (protocol decisions, D9.1). */
@Controller('simulator/authentication')
export class SimulatorPageController {
  constructor(@Inject(SIMULATOR_PAGES) private readonly pages: SimulatorPages) {}

  @Get(':gate/:key')
  show(@Param('gate') gate: string, @Param('key') key: string): HttpReply {
    const page = this.pages.pageFor(gate, key as AttemptKey);
    if (page !== undefined) return HttpReply.page(HttpStatus.OK, page.html, page.csp);
    const body = messagePage({
      title: 'Not found',
      message: 'No payment is waiting for authentication here. Go back to the shop.',
    });
    return HttpReply.page(HttpStatus.NOT_FOUND, body, PAGE_POLICY);
  }

  @Post(':gate/:key')
  showToPost(@Param('gate') gate: string, @Param('key') key: string): HttpReply {
    return this.show(gate, key);
  }

  @All(':gate/:key')
  otherMethod(): HttpReply {
    return HttpReply.methodNotAllowed('GET, POST');
  }
}
