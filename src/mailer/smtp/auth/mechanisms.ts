import { createHmac } from 'node:crypto'
import type { SmtpCredentials } from '../smtp-settings.ts'

/** One SASL mechanism: what goes with the AUTH command, and the answers to the server's challenges. */
export interface Mechanism {
  readonly name: string
  /** Undefined where the server speaks first. */
  readonly initial: string | undefined
  /** The answer to challenge number `index` (decoded); undefined when the mechanism has none left. */
  answer(challenge: string, index: number): string | undefined
}

/** RFC 4616. */
export function plain({ user, secret }: Login): Mechanism {
  return { name: 'PLAIN', initial: `\0${user}\0${secret}`, answer: () => undefined }
}

/** draft-murchison-sasl-login: user name, then password, whatever the prompts say. */
export function login({ user, secret }: Login): Mechanism {
  return {
    name: 'LOGIN',
    initial: undefined,
    answer: (_challenge, index) => [user, secret][index],
  }
}

/** RFC 2195. */
export function cramMd5({ user, secret }: Login): Mechanism {
  return {
    name: 'CRAM-MD5',
    initial: undefined,
    answer: (challenge, index) =>
      index === 0
        ? `${user} ${createHmac('md5', secret).update(challenge).digest('hex')}`
        : undefined,
  }
}

/**
 * https://developers.google.com/workspace/gmail/imap/xoauth2-protocol. A refusal comes as a challenge
 * that holds the reason and wants an empty answer.
 */
export function xoauth2({ user, secret }: Login): Mechanism {
  return {
    name: 'XOAUTH2',
    initial: `user=${user}\x01auth=Bearer ${secret}\x01\x01`,
    answer: (_challenge, index) => (index === 0 ? '' : undefined),
  }
}

/** A user and the secret that a mechanism proves him with. */
export interface Login {
  readonly user: string
  readonly secret: string
}

/**
 * The mechanisms to try, in order, of those that the server offers. As in Symfony a password serves as
 * the token where XOAUTH2 is all there is; a token is used for nothing else.
 */
export function chooseMechanisms(
  { user, password, accessToken }: SmtpCredentials,
  offered: ReadonlySet<string>,
  isEncrypted: boolean,
): Mechanism[] {
  if (accessToken !== null)
    return offered.has('XOAUTH2')
      ? [xoauth2({ user: user.reveal(), secret: accessToken.reveal() })]
      : []
  const own = { user: user.reveal(), secret: password?.reveal() ?? '' }
  const byPassword = isEncrypted ? [plain, login, cramMd5] : [cramMd5, plain, login]
  const usable = byPassword.map((make) => make(own)).filter(({ name }) => offered.has(name))
  return usable.length === 0 && offered.has('XOAUTH2') ? [xoauth2(own)] : usable
}
