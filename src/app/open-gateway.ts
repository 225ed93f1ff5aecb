import type { Auth } from '../auth/index.ts'
import { Gateway } from '../gateway/index.ts'
import type { Mautics } from '../mautic/index.ts'
import type { AppOptions } from './app-parts.ts'
import { outboundRules } from './outbound-rules.ts'

/** Opens the gateway to the connected Mautics. */
export function openAppGateway(
  options: Pick<AppOptions, 'config' | 'clock' | 'log' | 'mauticAnswerMs'>,
  { auth, mautics }: { auth: Auth; mautics: Mautics },
): Gateway {
  const { config, clock, log, mauticAnswerMs } = options
  return new Gateway({
    clock,
    log,
    answerMs: mauticAnswerMs,
    outboundRules: outboundRules(config),
    listPublished: () => mautics.listPublished(),
    loginLimits: auth.loginLimits,
    findGrants: (roleId) => auth.findGrants(roleId),
  })
}
