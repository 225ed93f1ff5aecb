import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, 'mautic-messages')

/** A message as a real Mautic 5.1 sent it over SMTP. */
export interface MauticMessageRecording {
  /** `segment-ascii-1` */
  name: string
  message: Buffer
  sender: string
  recipients: readonly string[]
}

/** Reads the recorded messages, each with its envelope. */
export function readMauticMessages(): MauticMessageRecording[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.eml'))
  return files.sort().map((file) => {
    const name = file.slice(0, -'.eml'.length)
    const envelope = readFileSync(join(folder, `${name}.envelope`), 'utf8')
    const [sender = ''] = addressesAfter('MAIL FROM', envelope)
    const recipients = addressesAfter('RCPT TO', envelope)
    return { name, message: readFileSync(join(folder, file)), sender, recipients }
  })
}

function addressesAfter(command: string, envelope: string): string[] {
  const lines = envelope.matchAll(new RegExp(`^${command}:<(.*)>`, 'gm'))
  return [...lines].map(([, address = '']) => address)
}
