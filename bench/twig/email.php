<?php
// Renders the email with PHP's Twig so many times; says how long one took, in microseconds, and what it printed.
[, $autoload, $cache] = $argv;
require $autoload;
$job = json_decode(stream_get_contents(STDIN), true);
$twig = new \Twig\Environment(new \Twig\Loader\ArrayLoader($job['templates']), ['cache' => $cache, 'auto_reload' => false]);
$output = $twig->render($job['name'], $job['context']);
for ($i = 0; $i < $job['renders'] / 10; ++$i) {
    $twig->render($job['name'], $job['context']);
}
$best = INF;
for ($round = 0; $round < $job['rounds']; ++$round) {
    $start = hrtime(true);
    for ($i = 0; $i < $job['renders']; ++$i) {
        $twig->render($job['name'], $job['context']);
    }
    $best = min($best, (hrtime(true) - $start) / 1000 / $job['renders']);
}
echo json_encode(['microseconds' => $best, 'output' => $output, 'version' => \Twig\Environment::VERSION, 'php' => PHP_VERSION, 'opcache' => function_exists('opcache_get_status') && false !== @opcache_get_status(false)]);
