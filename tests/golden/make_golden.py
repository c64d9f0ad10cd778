"""Makes the golden values: what PyTorch 2 computes for every layer, loss, optimiser and schedule that this engine has.

    python3 tests/golden/make_golden.py            (needs torch and numpy; writes the *.safetensors beside itself)

The tests beside it build the same cases by name and compare. All numbers are float32, and the same at every run.
"""
import golden_layers
import golden_losses
import golden_optimizers

if __name__ == "__main__":
    golden_layers.make_linear()
    golden_layers.make_convolutions()
    golden_layers.make_norms()
    golden_layers.make_recurrent()
    golden_layers.make_attention()
    golden_layers.make_functions()
    golden_losses.make_losses()
    golden_optimizers.make_optimizers()
    golden_optimizers.make_schedules()
