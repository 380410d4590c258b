import {
  Controller,
  Delete,
  Get,
  HttpCode,
  HttpStatus,
  Inject,
  Injectable,
  Post,
  Req,
  Res,
  UseFilters,
  UseGuards,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { Length } from 'class-validator';
import type { Request, Response } from 'express';
import {
  packageRoot,
  useSignInCode,
  type Configuration,
  type Operator,
  type OperatorRole,
  type OrchestratorEnvironment,
} from '@app/configuration';
import { CONFIGURATION, ENVIRONMENT } from '@app/configuration/configuration.module';
import { HttpReply, readBuildInfo } from '@app/http/server';
import { act, actingAlone, endOf, OperatorAccess, SignInFailures, type OperatorSession, type SignInProof } from '@app/investigation';
import { OperatorAudit } from '@app/investigation/record';
import type { Clock } from '@app/kernel';
import { Action } from './action.pipe';
import { HouseSignIn, signInEndOf, type StartedSignIn } from './house-sign-in';
import { isLoopback } from './operator-caller.middleware';
import { OperatorFilter } from './operator.filter';
import { AccessDenied, CurrentOperator, OperatorGuard, OperatorRequest, sessionOf } from './operator.guard';
import { NoQuestionGuard } from './no-question.guard';
import { NotRecorded } from './read-action';
import { SessionCookies } from './session-cookies';

const TOKEN_LENGTH_MAX = 256;

class SignInRequest {
  /** Exchanged once for the cookie. The link of a sandbox has a code in its place. */
  @NotRecorded()
  @Length(1, TOKEN_LENGTH_MAX, { message: `token must be a text of 1 to ${TOKEN_LENGTH_MAX} characters` })
  readonly token!: string;
}

/** What a person must know before the sign-in. */
interface Installation {
  readonly environment: 'production' | 'test';
  /** The address of the merchants' API, which names the installation. */
  readonly instance: string;
  readonly release: string;
  /** People can sign in at the house's provider: `GET /session/oidc`. */
  readonly hasProvider: boolean;
}

interface ShownSession {
  readonly name: string;
  readonly role: OperatorRole;
  /** Null if the operator works for all. */
  readonly merchants: readonly string[] | null;
  readonly environment: 'production' | 'test';
  /** The address of the merchants' API, which names the installation. */
  readonly instance: string;
  readonly release: string;
  /** Null for a program with a token. */
  readonly expiresAt: string | null;
}

/** A navigation of this page is from the port itself, so the browser sends the cookie. */
const SIGNED_IN =
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Signed in</title><meta http-equiv="refresh" content="0;url=/console"></head>' +
  '<body><a href="/console">Signed in: go on</a></body></html>\n';

/** The operator of a sandbox, who needs no configuration. */
export const SANDBOX_OPERATOR = 'sandbox';

interface SandboxLinkPorts {
  readonly operators: () => readonly Operator[];
  readonly environment: Pick<OrchestratorEnvironment, 'isProduction' | 'operatorHost' | 'operatorUrl' | 'operatorTokenPath'>;
  readonly clock: Clock;
}

/** Signs in the user of `orch sandbox` by the code of its link. Only on loopback and outside production. */
export class SandboxLink {
  constructor(private readonly ports: SandboxLinkPorts) {}

  /** Undefined if the code is not valid, which it is only once. */
  operatorWith(code: string): Operator | undefined {
    const { isProduction, operatorHost, operatorUrl, operatorTokenPath } = this.ports.environment;
    if (isProduction || !isLoopback(operatorHost) || operatorUrl !== undefined) return undefined;
    const operator = this.ports.operators().find(({ name }) => name === SANDBOX_OPERATOR);
    return operator !== undefined && useSignInCode(operatorTokenPath, code, this.ports.clock.now()) ? operator : undefined;
  }
}

const addressOf = ({ socket }: Request): string => socket.remoteAddress ?? '';

/** Refuses the fifth and later retries of a minute before a body is read. */
@Injectable()
export class SignInGuard implements CanActivate {
  constructor(
    @Inject(SignInFailures) private readonly failures: SignInFailures,
    @Inject(OperatorAudit) private readonly audit: OperatorAudit,
  ) {}

  /** @throws AccessDenied */
  canActivate(context: ExecutionContext): boolean {
    if (!this.failures.isBlocked(addressOf(context.switchToHttp().getRequest<Request>()))) return true;
    this.audit.refused('sign-in');
    throw new AccessDenied({ status: 429, error: 'too many failed sign-ins: try again in a minute' });
  }

  failed(request: Request, name?: string): void {
    this.failures.add(addressOf(request));
    this.audit.refused('sign-in', name === undefined ? undefined : { actor: `operator:${name}` });
  }
}

/** Begins sessions, each recorded before its cookie is sent. */
@Injectable()
export class SignIn {
  constructor(
    @Inject(SessionCookies) private readonly cookies: SessionCookies,
    @Inject(OperatorAudit) private readonly audit: OperatorAudit,
  ) {}

  /** @throws StoreUnavailable if it is not recorded */
  async begin(operator: Operator, proof: SignInProof, response: Response): Promise<OperatorSession> {
    const session = this.cookies.sessions.begin(operator.name, proof);
    await act(this.audit, actingAlone(operator), { action: 'sign-in', target: session.id, done: ['done'] }, () =>
      Promise.resolve({ reason: 'done' as const }),
    );
    this.cookies.setSession(response, session);
    return session;
  }
}

/** Browsers sign in here. Programs send their token with each request. */
@Controller('session')
@UseFilters(OperatorFilter)
export class SessionController {
  readonly #release = readBuildInfo(packageRoot()).version;

  constructor(
    @Inject(OperatorAccess) private readonly access: OperatorAccess,
    @Inject(SessionCookies) private readonly cookies: SessionCookies,
    @Inject(SignIn) private readonly signIn: SignIn,
    @Inject(SignInGuard) private readonly guard: SignInGuard,
    @Inject(OperatorAudit) private readonly audit: OperatorAudit,
    @Inject(HouseSignIn) private readonly house: HouseSignIn,
    @Inject(SandboxLink) private readonly link: SandboxLink,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(ENVIRONMENT) private readonly environment: OrchestratorEnvironment,
  ) {}

  /**
   * Exchanges an operator’s token for a session in a cookie
   * @example {"token": "the token from orch operator new"}
   * @answer 200 The session, which ends 30 minutes after its last request and 10 hours after its start
   * @answer 401 No operator has this token
   * @answer 429 Five sign-ins from this address failed within a minute
   */
  @Post()
  @HttpCode(HttpStatus.OK)
  @UseGuards(SignInGuard)
  @OperatorRequest('sign-in')
  async begin(
    @Action(SignInRequest) { token }: SignInRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<HttpReply<ShownSession>> {
    const operator = this.access.operatorWith(token) ?? this.link.operatorWith(token);
    if (operator === undefined) {
      this.guard.failed(request);
      return HttpReply.json(HttpStatus.UNAUTHORIZED, { error: 'no operator has this token' });
    }
    return this.reply(operator, await this.signIn.begin(operator, { token: operator.tokenSha256 }, response));
  }

  /**
   * The operator who asks, and the installation
   */
  @Get()
  @UseGuards(OperatorGuard, NoQuestionGuard)
  @OperatorRequest('show-session')
  show(@CurrentOperator() operator: Operator, @Req() request: Request): HttpReply<ShownSession> {
    return this.reply(operator, sessionOf(request));
  }

  /**
   * Ends the session. A copy of its cookie is refused by every process within five seconds
   * @answer 404 The request has a token in place of a session
   */
  @Delete()
  @UseGuards(OperatorGuard, NoQuestionGuard)
  @OperatorRequest('sign-out')
  async end(
    @CurrentOperator() operator: Operator,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<HttpReply<{ readonly ended: true }>> {
    const session = sessionOf(request);
    if (session === undefined) return HttpReply.json(HttpStatus.NOT_FOUND, { error: 'no session: the request has a token' });
    await act(this.audit, actingAlone(operator), { action: 'sign-out', target: session.id, done: ['done'] }, async (by) => {
      await this.cookies.sessions.end(session, by);
      return { reason: 'done' as const };
    });
    this.cookies.clearSession(response);
    return HttpReply.json(HttpStatus.OK, { ended: true });
  }

  /**
   * The installation, before a sign-in
   */
  @Get('installation')
  installation(): HttpReply<Installation> {
    return HttpReply.json(HttpStatus.OK, { ...this.named(), hasProvider: this.configuration.signIn !== undefined });
  }

  /**
   * Redirects to the house’s provider (OpenID Connect)
   * @answer 303 To the provider
   * @answer 404 No provider is configured
   */
  @Get('oidc')
  async startAtHouse(@Res({ passthrough: true }) response: Response): Promise<HttpReply> {
    const start = await this.house.start().catch(() => 'away' as const);
    if (start === undefined) return HttpReply.json(HttpStatus.NOT_FOUND, { error: 'no provider is configured' });
    if (start === 'away') return HttpReply.json(HttpStatus.SERVICE_UNAVAILABLE, { error: 'the provider does not answer' });
    this.cookies.setSignIn(response, start.started);
    return HttpReply.json(HttpStatus.SEE_OTHER, {}, { Location: start.location });
  }

  /**
   * The provider’s redirect back, which begins a session
   * @answer 200 A page that opens the console, because a browser sends no strict cookie with a redirect of another site
   * @answer 401 The sign-in was not begun here, is too old, was used before, or the provider’s answer is not valid
   * @answer 403 The person may not sign in
   */
  @Get('oidc/callback')
  @UseGuards(SignInGuard)
  async finishAtHouse(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<HttpReply> {
    const started = this.cookies.signInOf<StartedSignIn>(request);
    this.cookies.clearSignIn(response);
    const { sessions } = this.cookies;
    const at = request.url.indexOf('?');
    const isFirst = started !== undefined && at >= 0 && sessions.useUp(started.state, signInEndOf(started));
    const answer = isFirst ? await this.house.finish(request.url.slice(at), started) : { reason: 'failed' as const };
    if (answer.reason === 'signed-in') {
      await this.signIn.begin(answer.operator, { group: answer.role.group }, response);
      return HttpReply.page(HttpStatus.OK, SIGNED_IN, "default-src 'none'");
    }
    this.guard.failed(request, answer.reason === 'refused' ? answer.name : undefined);
    return answer.reason === 'refused'
      ? HttpReply.json(HttpStatus.FORBIDDEN, { error: answer.error })
      : HttpReply.json(HttpStatus.UNAUTHORIZED, { error: 'the sign-in at the provider failed: start again' });
  }

  private reply({ name, role, merchants }: Operator, session: OperatorSession | undefined): HttpReply<ShownSession> {
    return HttpReply.json(HttpStatus.OK, {
      name,
      role,
      merchants: merchants ?? null,
      ...this.named(),
      expiresAt: session === undefined ? null : new Date(endOf(session)).toISOString(),
    });
  }

  private named(): Pick<Installation, 'environment' | 'instance' | 'release'> {
    return {
      environment: this.environment.isProduction ? 'production' : 'test',
      instance: this.configuration.publicBaseUrl,
      release: this.#release,
    };
  }
}
