import { after, before } from 'node:test'
import {
  type ScriptedServer,
  startScriptedServer,
} from '../../src/libraries/mailer/testing/smtp-server.case.test.ts'
import {
  acceptsTokens,
  startTokenServer,
  type TokenServer,
} from '../../src/libraries/mailer/testing/token-server.case.test.ts'

/** A token server, and an SMTP server that takes its tokens: from before the tests of a suite until after them. */
export function useTokenServers() {
  let tokens: TokenServer | undefined
  let smtp: ScriptedServer | undefined
  before(async () => {
    tokens = await startTokenServer()
    smtp = await startScriptedServer(acceptsTokens(tokens))
  })
  after(async () => {
    await smtp?.close()
    await tokens?.close()
  })
  return {
    get tokens() {
      if (tokens === undefined) throw new Error('The tests have not begun.')
      return tokens
    },
    get smtp() {
      if (smtp === undefined) throw new Error('The tests have not begun.')
      return smtp
    },
  }
}
