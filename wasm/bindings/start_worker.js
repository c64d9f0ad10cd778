// The module with threads starts its workers by `new Worker(url)`. Who loads the module does it instead: it knows the
// policy under which a script may be started, and hears when one fails.
var Worker = function (url) {
  return Module['startWorker'](url);
};
