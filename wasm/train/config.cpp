#include "train/config.h"

#include "models/json.h"
#include "train/config_fields.h"

namespace sg::train {
namespace {

using nlohmann::json;
using namespace fields;

const Options<optim::Kind> optimizers{{"adam", "Adam", optim::Kind::adam},
                                      {"adamw", "AdamW", optim::Kind::adamw},
                                      {"sgd", "SGD", optim::Kind::sgd},
                                      {"rmsprop", "RMSprop", optim::Kind::rmsprop},
                                      {"adagrad", "Adagrad", optim::Kind::adagrad},
                                      {"lion", "Lion", optim::Kind::lion},
                                      {"muon", "Muon", optim::Kind::muon}};
const Options<Loss> losses{{"mse", "mean squared error", Loss::mse},
                           {"mae", "mean absolute error", Loss::mae},
                           {"huber", "Huber loss", Loss::huber}};
const Options<Task> tasks{{"auto", "Find out", Task::automatic},
                          {"forecast", "Forecast a series", Task::forecast},
                          {"regression", "Predict a number", Task::regression},
                          {"classification", "Predict a class", Task::classification}};
const Options<Split> splits{{"auto", "by class, else at random", Split::automatic},
                            {"random", "at random", Split::random},
                            {"stratified", "at random within each class", Split::stratified},
                            {"order", "the last rows", Split::order}};
const Options<Scaling> scalings{{"standard", "mean 0, deviation 1", Scaling::standard},
                                {"min_max", "from 0 to 1", Scaling::min_max},
                                {"robust", "median and quartiles", Scaling::robust}};
const Options<ClassWeights> class_weights{{"equal", "each row alike", ClassWeights::equal},
                                          {"balanced", "each class alike", ClassWeights::balanced}};
const Options<optim::Schedule> schedules{
    {"constant", "constant", optim::Schedule::constant},
    {"step", "falls in steps", optim::Schedule::step},
    {"exponential", "falls evenly", optim::Schedule::exponential},
    {"cosine", "falls as a cosine", optim::Schedule::cosine},
    {"one_cycle", "once up and down", optim::Schedule::one_cycle},
    {"reduce_on_plateau", "falls on a plateau", optim::Schedule::reduce_on_plateau}};
const Options<std::string> devices{
    {"auto", "Choose for me", "auto"}, {"cpu", "Processor", "cpu"}, {"webgl", "Graphics card", "webgl"}};
const Options<Effort> efforts{{"full", "At full speed", Effort::full},
                              {"leave_room", "Leave room for other work", Effort::leave_room},
                              {"background", "In the background", Effort::background}};
const About about_effort{"training", "effort", "How hard to work",
                         "how much of the machine the run may take: the result is the same"};

/// A field of some optimisers, and what each of them begins with where that differs from TrainConfig's own.
template <class T>
When of_optimizers(std::vector<const char*> names, T optim::Config::*field) {
  When when{"optimizer", std::move(names)};
  for (const auto& option : optimizers) {
    const T initial = optim::defaults(option.meaning).*field;
    if (initial != TrainConfig().optimizer.*field)
      when.initial[option.name] = shortest(static_cast<float>(initial)).get<double>();
  }
  return when;
}

/// Every field but the model's: what it is, where it is kept, limits.
template <class Visitor, class C>
void visit(Visitor& v, C& c) {
  constexpr Place front = Place::front, more = Place::more, elsewhere = Place::elsewhere;
  constexpr double kMost = 1e6;
  const When of_series{"task", {"auto", "forecast"}}, of_tables{"task", {"auto", "regression", "classification"}};
  v.choice({"data", "task", "Task",
            "what is predicted; left open, the data decides: categories or numbers that are all 0 or 1 are classes, a "
            "table with dates is a series, and anything else is a number to predict",
            front},
           c.task, tasks);
  v.texts({"data", "features", "Learn from", "the columns to learn from", elsewhere}, c.features);
  v.text({"data", "target", "Forecast", "the column to forecast", elsewhere}, c.target);
  v.number({"data", "lookBack", "Look back, rows", "rows that each forecast is made from", front, of_series},
           c.look_back, 1, 4096);
  v.number({"data", "horizon", "Forecast ahead, rows", "rows that are forecast at once", front, of_series}, c.horizon,
           1, 1024);
  v.number({"data", "validationFraction", "Held-out part",
            "share of the rows that is kept for validation: of a series the last ones"},
           c.validation_fraction, 0.01, 0.9);
  v.number(
      {"data", "season", "Season, rows", "rows in a season, for the seasonal naive forecast; 0: find it", elsewhere},
      c.season, 0, kMost);
  // They decide which windows a step sees, so a run is repeated, and goes on, with the same.
  v.number({"data", "memory", "Data in memory up to, MB", "larger data is trained on in parts, one after the other"},
           c.memory, 0.1, 256);
  v.number({"data", "block", "Part in memory, MB",
            "of data that is trained on in parts: what is shuffled together; half of it more is held for validation"},
           c.block, 0.1, 256);

  v.choice({"data", "split", "Hold out", "which rows of a table are held out for validation", front, of_tables},
           c.split, splits);
  v.choice({"data", "scaling", "Scale numbers", "how a table's numbers are brought to one size", more, of_tables},
           c.scaling, scalings);

  v.number({"training", "epochs", "Epochs", "times that all training rows are gone through", front}, c.epochs, 1,
           100000);
  v.number({"training", "learningRate", "Learning rate", "how far each step goes: smaller is slower and safer", front},
           c.learning_rate, 1e-8, 10);
  v.choice(
      {"training", "device", "Train on", "Choose for me tries both for up to a second and takes the faster", front},
      c.device, devices);
  v.choice(about_effort, c.effort, efforts);
  v.number({"training", "patience", "Stop early after (0: never)",
            "epochs without a better validation loss; the best weights are then put back"},
           c.patience, 0, 100000);
  v.number({"training", "batchSize", "Batch size", "windows that are learnt from at once"}, c.batch_size, 1, 4096);
  v.number(
      {"training", "accumulate", "Batches a step", "as if the batch were so many times as large, without its memory"},
      c.accumulate, 1, 1024);
  v.choice({"training", "loss", "Loss", "what is made small", more, {"task", {"auto", "forecast", "regression"}}},
           c.loss, losses);
  v.choice({"training",
            "classWeights",
            "Weigh classes",
            "whether rare classes count for more",
            front,
            {"task", {"classification"}}},
           c.class_weights, class_weights);

  auto& o = c.optimizer;
  v.choice({"training", "optimizer", "Optimizer", "how a step follows from the gradient"}, o.kind, optimizers);
  v.number(
      {"training", "weightDecay", "Weight decay", "pulls weights towards 0; biases and norms are left alone", more,
       of_optimizers({"adam", "adamw", "sgd", "rmsprop", "adagrad", "lion", "muon"}, &optim::Config::weight_decay)},
      o.weight_decay, 0, 10);
  v.number({"training", "momentum", "Momentum", "share of the last step that is kept", more,
            of_optimizers({"sgd", "rmsprop", "muon"}, &optim::Config::momentum)},
           o.momentum, 0, 0.9999);
  v.flag({"training", "nesterov", "Nesterov momentum", "looks one step ahead", more,
          of_optimizers({"sgd", "muon"}, &optim::Config::nesterov)},
         o.nesterov);
  v.number({"training", "beta1", "Beta 1", "memory of the gradient's average", more,
            of_optimizers({"adam", "adamw", "lion", "muon"}, &optim::Config::beta1)},
           o.beta1, 0, 0.9999);
  v.number({"training", "beta2", "Beta 2", "memory of the gradient's second average", more,
            of_optimizers({"adam", "adamw", "lion", "muon"}, &optim::Config::beta2)},
           o.beta2, 0, 0.99999);
  v.number({"training", "alpha", "Alpha", "memory of the squared gradient's average", more,
            of_optimizers({"rmsprop"}, &optim::Config::alpha)},
           o.alpha, 0, 0.99999);
  v.number({"training", "rateDecay", "Decay of the rate", "how quickly the rate falls with the steps", more,
            of_optimizers({"adagrad"}, &optim::Config::rate_decay)},
           o.rate_decay, 0, 10);
  v.number({"training", "eps", "Epsilon", "keeps divisions away from 0", more,
            of_optimizers({"adam", "adamw", "rmsprop", "adagrad", "muon"}, &optim::Config::eps)},
           o.eps, 1e-12, 1);
  v.number({"training", "clipNorm", "Clip gradients at (0: no)", "longest gradient, over all weights together"},
           o.clip_norm, 0, kMost);
  v.number({"training", "clipValue", "Clip each number at (0: no)", "largest number in a gradient"}, o.clip_value, 0,
           kMost);

  auto& s = c.schedule;
  v.choice({"training", "schedule", "Learning rate over time", "how the learning rate changes"}, s.kind, schedules);
  v.number({"training", "warmupSteps", "Warm-up, steps", "steps in which the rate rises from 0"}, s.warmup, 0, kMost);
  v.number(
      {"training", "finalLearningRate", "Last learning rate", "what the rate falls to", more, {"schedule", {"cosine"}}},
      s.final_rate, 0, 10);
  v.number({"training",
            "stepSize",
            "Epochs between falls",
            "epochs after which the rate falls",
            more,
            {"schedule", {"step"}}},
           c.step_epochs, 1, 100000);
  v.number({"training",
            "gamma",
            "Falls to",
            "share of the rate that is left, each time or each epoch",
            more,
            {"schedule", {"step", "exponential"}, {{"exponential", 0.95}}}},
           s.gamma, 1e-6, 1);
  v.number({"training",
            "peakAt",
            "Highest at",
            "share of the steps after which the rate is highest",
            more,
            {"schedule", {"one_cycle"}}},
           s.pct_start, 0.01, 0.99);
  v.number({"training",
            "startDivisor",
            "First rate, divided by",
            "how far below the learning rate it starts",
            more,
            {"schedule", {"one_cycle"}}},
           s.div_factor, 1, kMost);
  v.number({"training",
            "endDivisor",
            "Last rate, divided by",
            "how far below the first rate it ends",
            more,
            {"schedule", {"one_cycle"}}},
           s.final_div_factor, 1, 1e9);
  v.number({"training",
            "plateauPatience",
            "Epochs before it falls",
            "epochs without a better validation loss "
            "before the rate falls",
            more,
            {"schedule", {"reduce_on_plateau"}}},
           c.plateau_patience, 0, 100000);
  v.number({"training",
            "plateauFactor",
            "Falls to",
            "share of the rate that is left",
            more,
            {"schedule", {"reduce_on_plateau"}}},
           c.plateau_factor, 0.01, 0.99);

  v.number({"training", "ema", "Average weights (0: no)",
            "decay of a running average, which validation and forecasts then use; 0.99 is usual"},
           c.ema, 0, 0.99999);
  // What is saved and kept is the caller's doing; the run's settings travel with it in its checkpoints.
  v.number({"training", "saveEvery", "Save every, epochs (0: no)",
            "epochs between two checkpoints; a new best and the end are saved all the same"},
           c.save_every, 0, 100000);
  v.number({"training", "saveSeconds", "Seconds between saves",
            "at least so many, so that short epochs are not saved one by one"},
           c.save_seconds, 0, 86400);
  v.number({"training", "keepLast", "Keep the last",
            "checkpoints that stay beside the best one; those that you save yourself always stay"},
           c.keep_last, 1, 10000);
  v.number({"training", "keepEvery", "Keep one every, epochs (0: no)",
            "checkpoints that stay for good, one after so many epochs"},
           c.keep_every, 0, 100000);
  v.number({"training", "seed", "Seed", "the same seed gives the same run"}, c.seed, 0, 9007199254740991.0);
}

}  // namespace

TrainConfig TrainConfig::from_json(const json& j) {
  TrainConfig c;
  Reader reader(j);
  visit(reader, c);
  reader.refuse_others();
  const json model = j.contains("model") ? j["model"] : json::object();
  if (model.contains("name")) {
    if (!model["name"].is_string()) bad("model.name", "must be a text");
    c.model = model["name"].get<std::string>();
    c.model_named = true;
  } else if (c.is_table())
    c.model = kTableModel;
  c.values = models::values_from_json(models::find(c.model), model);
  return c;
}

Effort TrainConfig::effort_named(const std::string& name) {
  const json j{{about_effort.group, {{about_effort.name, name}}}};
  Reader reader(j);
  Effort effort{};
  reader.choice(about_effort, effort, efforts);
  return effort;
}

Politeness politeness(Effort effort) {
  switch (effort) {
    case Effort::leave_room:
      return {.duty = 0.75, .in_flight = 2};
    case Effort::background:
      return {.duty = 0.4, .in_flight = 1};
    case Effort::full:
      break;
  }
  return {.duty = 1, .in_flight = 3};
}

json TrainConfig::to_json() const {
  json j;
  Writer writer{j};
  visit(writer, *this);
  j["model"] = models::to_json(models::find(model), values);
  return j;
}

json TrainConfig::describe() {
  Describer describer;
  const TrainConfig defaults;
  visit(describer, defaults);
  return describer.list;
}

}  // namespace sg::train
