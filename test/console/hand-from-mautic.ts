import { openDialogue } from '../smtp-dialogue.ts'

/** Hands in a message to ann@rcpt.test, as a Mautic with this mailer DSN. */
export async function handFromMautic(port: number, dsn: URL): Promise<void> {
  const dialogue = await openDialogue(port)
  await dialogue.say('EHLO mautic.test')
  await dialogue.logIn(dsn.username, dsn.password)
  const raw = 'From: news@shop.test\r\nTo: ann@rcpt.test\r\nSubject: Test\r\n\r\nHello'
  await dialogue.hand({ from: 'news@shop.test', to: ['ann@rcpt.test'], raw })
  dialogue.end()
}
