<?php

// Sends one message with Symfony Mailer, which Mautic sends with, as the JSON on standard input says.

require '/usr/share/php/Symfony/Component/Mailer/autoload.php';

use Symfony\Component\Mailer\Envelope;
use Symfony\Component\Mailer\Mailer;
use Symfony\Component\Mailer\Transport;
use Symfony\Component\Mime\Address;
use Symfony\Component\Mime\Email;
use Symfony\Component\Mime\RawMessage;

$request = json_decode(stream_get_contents(STDIN), true);
$user = rawurlencode($request['username']).':'.rawurlencode($request['password']);
$mailer = new Mailer(Transport::fromDsn("smtp://$user@127.0.0.1:{$request['port']}"));

if (isset($request['raw'])) {
    $to = array_map(static fn ($address) => new Address($address), $request['to']);
    $envelope = new Envelope(new Address($request['from']), $to);
    $mailer->send(new RawMessage(base64_decode($request['raw'])), $envelope);
    exit(0);
}

$email = (new Email())
    ->from($request['from'])
    ->to(...$request['to'])
    ->subject('Grüße von Symfony')
    ->text("Hello\n.\n..two dots\nFrom the start\n".str_repeat('ä', 100)."\n");
$email->getHeaders()->addTextHeader('X-EMAIL-ID', '77');
$kind = $request['kind'];
if ('html' === $kind) {
    $email->html(str_repeat("<p>Grüße {x}</p>\n", 50));
}
if ('attachments' === $kind) {
    $bytes = str_repeat(implode('', array_map('chr', range(0, 255))), 40);
    $email->attach($bytes, 'räv.pdf', 'application/pdf')->attach("{twigtemplate=1}\n", 'a.txt', 'text/plain');
}
if ('large' === $kind) {
    $email->attach(str_repeat(implode('', array_map('chr', range(0, 255))), 30000), 'a.zip');
}
$mailer->send($email);
