import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Confirm } from '../../design/dialog.tsx'
import { ask } from '../../lib/api.ts'
import { showToast } from '../../lib/toasts.ts'
import { useAction } from '../../lib/use-action.ts'
import { broadcastWords } from '../../words/broadcasts.ts'
import type { Broadcast } from './broadcasts.tsx'

const text = broadcastWords

interface ActionProps {
  broadcast: Broadcast
  /** Shows the broadcast as the action has left it. */
  onDone: (broadcast: Broadcast) => void
}

/** Pause, resume and cancel a broadcast; send to refused recipients again. */
export function BroadcastActions({ broadcast, onDone }: ActionProps) {
  const { id, state, refused, remaining, brake } = broadcast
  const [confirming, setConfirming] = useState<'continue' | 'cancel'>()
  const { isBusy, run } = useAction()
  const path = { id }
  const pause = async () =>
    onDone((await ask('POST', '/api/broadcasts/{id}/pause', { path })).body.broadcast)
  const resume = async () =>
    onDone((await ask('POST', '/api/broadcasts/{id}/resume', { path })).body.broadcast)
  const cancel = async () =>
    onDone((await ask('POST', '/api/broadcasts/{id}/cancel', { path })).body.broadcast)
  const retry = async () => {
    const { body } = await ask('POST', '/api/broadcasts/{id}/retry', { path })
    showToast(text.retried(body.retried, body.skipped))
    onDone(body.broadcast)
  }
  return (
    <div class="row">
      {state === 'running' && (
        <Button isBusy={isBusy} onClick={() => void run(pause)}>
          {text.pause}
        </Button>
      )}
      {state === 'paused' && (
        <Button
          kind="primary"
          isBusy={isBusy}
          onClick={() => (brake === null ? void run(resume) : setConfirming('continue'))}
        >
          {brake === null ? text.resume : text.continue}
        </Button>
      )}
      {refused > 0 && state !== 'cancelled' && (
        <Button isBusy={isBusy} onClick={() => void run(retry)}>
          {text.retry(refused)}
        </Button>
      )}
      {(state === 'running' || state === 'paused') && (
        <Button kind="danger" onClick={() => setConfirming('cancel')}>
          {text.cancel}
        </Button>
      )}
      {confirming === 'continue' && (
        <Confirm
          title={text.continueTitle(remaining)}
          text={text.continueText}
          action={text.continue}
          onConfirm={resume}
          onClose={() => setConfirming(undefined)}
        />
      )}
      {confirming === 'cancel' && (
        <Confirm
          title={text.cancelTitle(remaining)}
          text={text.cancelText}
          action={text.cancel}
          onConfirm={cancel}
          onClose={() => setConfirming(undefined)}
        />
      )}
    </div>
  )
}
