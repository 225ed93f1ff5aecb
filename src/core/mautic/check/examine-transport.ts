import { MauticError } from '../../mautic-client/index.ts'

/** What mail of a Mautic is sent through, if its email and its sender are assigned to no transport. */
export interface UnassignedRoute {
  /** Undefined if there is none: the mail waits. */
  transport: UnassignedTransport | undefined
  /** How it was chosen, as the trace of a delivery says it. */
  reasons: readonly string[]
}

/** A transport, as the check of a Mautic sees it. */
export interface UnassignedTransport {
  /** Null for the configured default. */
  id: number | null
  name: string
  /** Whether its DSN can be decrypted. */
  isReadable: boolean
  /** Null if it was never tested with its present DSN. */
  lastTest: { success: boolean; message: string } | null
}

const howToChoose =
  'Choose its default transport in the console, or with transportId at PATCH /api/mautics/{id}/edit. To try it without sending, create a transport with the DSN inbox://local.'

/** Returns what is found of the transport. Throws a MauticError if mail would only wait. */
export function examineTransport({ transport, reasons }: UnassignedRoute) {
  const outcome = 'ok' as const
  if (transport === undefined) {
    const detail = `Mail without an assignment has no transport and would wait: ${reasons.join('; ')}.`
    throw new MauticError('refused', { detail, hint: howToChoose })
  }
  const { id, name, isReadable, lastTest } = transport
  const which = id === null ? 'The default transport' : `Transport ${id} (${name})`
  if (!isReadable) {
    const detail = `The DSN of transport ${id} (${name}) cannot be decrypted.`
    throw new MauticError('refused', { detail, hint: 'Save its DSN again.' })
  }
  if (lastTest?.success === false) {
    const detail = `${which} failed its last test: ${lastTest.message}`
    throw new MauticError('refused', { detail, hint: 'Repair the transport, and test it again.' })
  }
  const detail = `${which} is for mail without an assignment: ${reasons.join('; ')}.`
  if (id === null || lastTest !== null) return { outcome, detail, hint: null }
  return { outcome, detail, hint: 'It was never tested. Send a test message through it.' }
}
