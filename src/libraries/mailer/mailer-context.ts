import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import { type Clock, systemClock } from '../../kit/clock.ts'
import { Connector } from './connect/connector.ts'
import { lookupBySystem } from './connect/resolve-host.ts'
import type { Capture } from './delivery/capture.ts'
import type { RecipientGuard } from './delivery/recipient-guard.ts'
import { DkimSigner } from './dkim/dkim-signer.ts'
import type { ParseDsnOptions } from './dsn/parse-dsn.ts'
import type { MailerOptions, MailerTimeouts } from './mailer-options.ts'
import type { RefreshTokenStore } from './oauth/refresh-token-store.ts'
import { OutboundPolicy } from './policy/outbound-policy.ts'

/** The completed options of a mailer, shared by all of its transports and tests. */
export interface MailerContext {
  readonly connector: Connector
  readonly clock: Clock
  readonly random: () => number
  readonly connectionsMax: number
  readonly localDomain: string
  /** What DSNs may do. */
  readonly dsnOptions: ParseDsnOptions
  readonly command: readonly [string, ...string[]] | undefined
  readonly capture: Capture | undefined
  /** Undefined: everybody gets mail. */
  readonly guard: RecipientGuard | undefined
  readonly refreshTokens: RefreshTokenStore
  /** Undefined if no message is signed. */
  readonly signer: DkimSigner | undefined
  readonly timeouts: Required<MailerTimeouts>
}

const defaultTimeouts: Required<MailerTimeouts> = {
  resolveMs: 10_000,
  connectMs: 10_000,
  tlsMs: 10_000,
  greetingMs: 30_000,
  commandMs: 60_000,
  dataMs: 300_000,
  requestMs: 60_000,
  idleMs: 60_000,
}

/**
 * Completes the options of a mailer.
 * @param limits the time limits that differ from the defaults.
 * @throws {RangeError} for an outbound rule that cannot be read.
 */
export function createMailerContext(
  options: MailerOptions,
  limits: MailerTimeouts | undefined,
): MailerContext {
  const timeouts = { ...defaultTimeouts, ...limits }
  const clock = options.clock ?? systemClock
  return {
    connector: new Connector({
      policy: new OutboundPolicy(options.policy),
      lookup: options.lookup ?? lookupBySystem,
      secureContext: trustInAddition(options.certificates),
      timeouts,
    }),
    clock,
    random: options.random ?? Math.random,
    connectionsMax: options.connectionsMax ?? 5,
    localDomain: options.localDomain ?? '[127.0.0.1]',
    dsnOptions: {
      hasInbox: options.capture !== undefined,
      hasCommand: options.command !== undefined,
      sourceAddresses: options.sourceAddresses ?? [],
    },
    command: options.command,
    capture: options.capture,
    guard: options.guard,
    refreshTokens: options.refreshTokens ?? rememberRefreshTokens(),
    signer: options.dkim && new DkimSigner(options.dkim, clock),
    timeouts,
  }
}

/** A store that lasts as long as the mailer. */
function rememberRefreshTokens(): RefreshTokenStore {
  const tokens = new Map<string, string>()
  return {
    find: async (grantKey) => tokens.get(grantKey),
    save: async (grantKey, token) => void tokens.set(grantKey, token),
  }
}

function trustInAddition(certificates: readonly string[] = []): SecureContext | undefined {
  if (certificates.length === 0) return undefined
  return createSecureContext({ ca: [...getCACertificates('default'), ...certificates] })
}
