import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Notice } from '../../design/feedback.tsx'
import { ask } from '../../lib/api.ts'
import { session } from '../../lib/session.ts'
import { useAction } from '../../lib/use-action.ts'
import { broadcastWords } from '../../words/broadcasts.ts'

const text = broadcastWords.create

/** Sends the email to the user first. */
export function SendTest({ emailId, onSent }: { emailId: number; onSent: () => void }) {
  const [result, setResult] = useState<{ success: boolean; message: string }>()
  const { isBusy, run } = useAction()
  const address = session.value?.user.email
  const test = async () => {
    setResult(undefined)
    const { body } = await ask('POST', '/api/emails/send/test', { body: { id: emailId } })
    setResult(body)
    if (body.success) onSent()
  }
  return (
    <>
      <div class="row">
        <Button isBusy={isBusy} disabled={!address} onClick={() => void run(test)}>
          {text.test}
        </Button>
        <span class="quiet small">{address ? text.testHelp(address) : text.noAddress}</span>
      </div>
      {result !== undefined && (
        <Notice tone={result.success ? 'good' : 'bad'}>{result.message}</Notice>
      )}
    </>
  )
}
