import { useEffect, useRef, useState } from 'preact/hooks'

const pauseMs = 300

/** A text that `onTyped` gets when typing pauses, or at once with `send`. It follows `value`, such as after Back. */
export function useTyped(value: string, onTyped: (text: string) => void) {
  const [text, setText] = useState(value)
  const sent = useRef(value)
  // The address may change while the timer runs: what it calls then must keep it.
  const latest = useRef(onTyped)
  latest.current = onTyped
  const send = () => {
    if (text === sent.current) return
    sent.current = text
    latest.current(text)
  }
  useEffect(() => {
    if (value === sent.current) return
    sent.current = value
    setText(value)
  }, [value])
  useEffect(() => {
    const timer = setTimeout(send, pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return { text, setText, send }
}
