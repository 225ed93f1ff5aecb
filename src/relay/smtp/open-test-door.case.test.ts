import { after } from 'node:test'
import { openDialogue } from '../../../test/smtp-dialogue.ts'
import type { Login } from '../../auth/index.ts'
import { AppError } from '../../kit/app-error.ts'
import { createLog } from '../../kit/log.ts'
import { type Door, type DoorOptions, openDoor } from './door.ts'
import { createReply } from './reply.ts'
import type { DoorRules, Submission } from './session.ts'

const doors: Door[] = []
after(() => Promise.all(doors.map((door) => door.close(1_000))))

const ada = { userId: 1, name: 'Ada', email: undefined, isAdmin: true, can: () => true }
const login: Login = { findCaller: async () => ada }
export const timeouts = { loginMs: 60_000, commandMs: 60_000, pieceMs: 60_000, messageMs: 60_000 }

/** A door of its own, on a free port, that lets everybody on this machine in. */
export async function openTestDoor(
  changes: Partial<Omit<DoorOptions, 'rules'>> & { rules?: Partial<DoorRules> } = {},
) {
  const received: Submission[] = []
  const rules = {
    name: 'mail.test',
    sizeMax: 100_000,
    recipientsMax: 5,
    logIn: async ({ password }: { password: string }) => {
      if (password === 'right') return login
      throw new AppError('unauthenticated', 'unauthenticated', 'That is not right.')
    },
    admit: async (someone: Login) =>
      (await someone.findCaller()) ?? createReply(530, '5.7.0', 'No'),
    submit: async (submission: Submission) => {
      received.push(submission)
      return createReply(250, '2.0.0', 'Taken')
    },
  }
  const door = await openDoor({
    host: '127.0.0.1',
    port: 0,
    securePort: undefined,
    secureContext: undefined,
    vouchFor: () => login,
    connectionsMax: 50,
    connectionsPerAddressMax: 50,
    bytesMax: 1_000_000,
    timeouts,
    sweepMs: 20,
    log: createLog('silent'),
    ...changes,
    rules: { ...rules, ...changes.rules },
  })
  doors.push(door)
  const { port = 0 } = door
  const dial = async () => {
    const client = await openDialogue(port)
    await client.say('EHLO client.test')
    return client
  }
  const text = (index: number) => Buffer.concat(received[index]?.chunks ?? []).toString('latin1')
  return { door, port, received, dial, text }
}
