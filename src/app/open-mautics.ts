import { removeMauticAssignments } from '../assignments/index.ts'
import { type Config, publicUrl } from '../config/index.ts'
import type { CallerMautic } from '../kit/caller.ts'
import { Mautics, type UnassignedRoute } from '../mautic/index.ts'
import { findLastTest, findTransportOwners } from '../transports/index.ts'
import type { App, ModuleParts } from './app-parts.ts'
import { outboundRules } from './outbound-rules.ts'

type LaterModules = Pick<App, 'gateway' | 'delivery' | 'transports'>

/** Opens the connected Mautics. `later` returns the modules that are opened after them. */
export function openAppMautics(
  parts: ModuleParts,
  { auth, suppressions }: Pick<App, 'auth' | 'suppressions'>,
  later: () => LaterModules,
): Mautics {
  const url = publicUrl(parts.config)
  const { storage, clock, keyring, log } = parts
  return new Mautics({
    storage,
    clock,
    keyring,
    log,
    suppressions,
    publicUrl: url,
    reportIdleMs: parts.intervals?.idleMs,
    onReinstalled: (id) => removeMauticAssignments(storage.tables(), id),
    // The gateway reads them again automatically if this fails.
    onChanged: () =>
      later()
        .gateway.reload()
        .catch(() => undefined),
    findRoute: (mautic) => findUnassignedRoute(mautic, parts, later()),
    findTransportOwners,
    findRoles: (ids, tx) => auth.findRoleIds(ids, tx),
    publicHost: new URL(url).hostname,
    rules: outboundRules(parts.config),
    mailerDsn: (login, password) => mauticDsn(parts.config, login, password),
  })
}

/** Finds what mail of a Mautic without an assignment is sent through, as a send does. */
async function findUnassignedRoute(
  mautic: CallerMautic,
  { storage }: Pick<ModuleParts, 'storage'>,
  { delivery, transports }: Pick<LaterModules, 'delivery' | 'transports'>,
): Promise<UnassignedRoute> {
  const { target, trace } = await delivery.resolveRoute({ mautic })
  const reasons = trace.map(({ reason }) => reason)
  switch (target.kind) {
    case 'transport': {
      const { id, name } = target.row
      const isReadable = (await transports.findDsn(target.row)) !== undefined
      const lastTest = (await findLastTest(storage.tables(), id)) ?? null
      return { transport: { id, name, isReadable, lastTest }, reasons }
    }
    case 'default': {
      const transport = { id: null, name: 'default', isReadable: true, lastTest: null }
      return { transport, reasons }
    }
    default:
      return { transport: undefined, reasons }
  }
}

/** Returns the DSN with which a Mautic submits its mail. */
function mauticDsn(config: Config, login: string, password: string): string {
  const { smtpPort, smtpsPort } = config
  const [scheme, port] =
    smtpPort === undefined && smtpsPort !== undefined ? ['smtps', smtpsPort] : ['smtp', smtpPort]
  const { hostname } = new URL(publicUrl(config))
  return `${scheme}://${login}:${password}@${hostname}:${port ?? 2525}`
}
