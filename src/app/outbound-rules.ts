import type { Config } from '../config/index.ts'
import type { OutboundRules } from '../mailer/index.ts'

/** Returns where the configuration allows connections to. */
export function outboundRules(config: Config): OutboundRules {
  const { outboundPolicy: mode, outboundAllow: allow, outboundDeny: deny } = config
  return { mode, allow, deny }
}
